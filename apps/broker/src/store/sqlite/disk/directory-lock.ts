import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../../port/store-errors.ts'
import type { StoreFiles } from './files.ts'
import { keepPrivate } from './open-database.ts'
import { isBusy } from './sqlite-error.ts'

/** The process that holds a data directory, as named to the next one that tries. */
type Holder = Readonly<{ pid: number; host: string; since: string; address?: string }>

export type DirectoryLock = ReturnType<typeof lockDirectory>

/**
 * A lock on a database of its own, which stays empty: the kernel drops it when the process dies,
 * however that comes, so it is never stale; and readers of the real database are not kept out.
 * (No other code of ours may open the lock file: closing any descriptor of it would drop the lock.)
 */
export function lockDirectory(files: StoreFiles) {
  keepPrivate(files.lock)
  const db = new DatabaseSync(files.lock, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw isBusy(error) ? heldBy(files) : error
  }
  const holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  writeHolder(files, holder)
  return {
    /** Where this broker listens, once it does. */
    noteAddress: (address: string) => writeHolder(files, { ...holder, address }),
    release: () => {
      rmSync(files.holder, { force: true })
      db.close()
    },
  }
}

function writeHolder(files: StoreFiles, holder: Holder): void {
  writeFileSync(files.holder, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
}

function heldBy(files: StoreFiles): StoreUnusable {
  return new StoreUnusable(
    `Another broker runs on this directory: ${describeHolder(files)}`,
    'Stop it first, or choose another --data-dir',
  )
}

function describeHolder({ holder }: StoreFiles): string {
  try {
    const { pid, host, since, address } = JSON.parse(readFileSync(holder, 'utf8')) as Holder
    const listens = address ? `, listening on ${address}` : ''
    return `process ${pid} on ${host} since ${since}${listens}`
  } catch {
    // It holds the lock but has not written its name yet.
    return 'a process that has not written its name yet'
  }
}
