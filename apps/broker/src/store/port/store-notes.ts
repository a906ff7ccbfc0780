import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * proof-key:   what the ledger's proofs are made with, once it is founded
 * rolled-back: that this store was found to be an older copy, and by what
 * journal-budget: which clusters have lately written much, as far as a snapshot covers it
 */
export type NoteName = 'proof-key' | 'rolled-back' | 'journal-budget'

/** Small texts that a store keeps beside its journal. Passes `store-notes.contract.ts`. */
export type StoreNotes = {
  read(name: NoteName): Promise<string | undefined>
  /** Durable once it resolves; replaces what was there. */
  write(name: NoteName, text: string): Promise<void>
  /** What is not there is fine. */
  remove(name: NoteName): Promise<void>
}

/** Only the broker's own user reads the key: it could stop the broker from selling. */
const OWNER_ONLY = 0o600

export const noteFile = (dataDir: string, name: NoteName): string => join(dataDir, `bourse.${name}`)

/** A file for each, beside the database. */
export function createFileNotes(dataDir: string): StoreNotes {
  return {
    read: (name) => readFile(noteFile(dataDir, name), 'utf8').catch(nothingThere),
    write: (name, text) => replaceFile(noteFile(dataDir, name), text),
    async remove(name) {
      await rm(noteFile(dataDir, name), { force: true })
      await flushDirectory(dataDir)
    },
  }
}

/** Whole or not at all, also if the machine fails meanwhile. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  try {
    await using file = await open(draft, 'wx', OWNER_ONLY)
    await file.writeFile(text)
    await file.sync()
  } catch (failure) {
    await rm(draft, { force: true })
    throw failure
  }
  await rename(draft, path)
  await flushDirectory(dirname(path))
}

export async function flushDirectory(path: string): Promise<void> {
  await using directory = await open(path, constants.O_RDONLY)
  await directory.sync()
}

/** A missing file is an answer; any other failure is thrown. */
export function nothingThere(failure: NodeJS.ErrnoException): undefined {
  if (failure.code === 'ENOENT') return undefined
  throw failure
}
