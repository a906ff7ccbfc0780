import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { DamagedJournal, type Head } from '../port/journal.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { flushDirectory } from '../port/store-notes.ts'
import { filesIn } from '../sqlite/disk/files.ts'
import { prepareDirectory } from '../sqlite/disk/open-database.ts'
import { withStore } from '../sqlite/with-store.ts'
import {
  BACKUP_VERSION,
  type BackupCounts,
  type BackupRecord,
  countIn,
  NO_COUNTS,
} from './backup-format.ts'
import { createImporter } from './importer.ts'

export type ImportOptions = Readonly<{
  /** For a move to another store. A restored backup gets an id of its own, for agents to trust. */
  keepLedgerId?: boolean
  newLedgerId?(): string
}>

export type Imported = BackupCounts & Readonly<{ head: Head; ledgerId: string; from: string }>

/** Not a name that a store uses: what is in there is not a ledger yet. */
const STAGING = 'import.partial'

/** Fills an empty directory from an export; it becomes a ledger only when all was verified. */
export async function importStore(
  input: Readable,
  dataDir: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const staging = prepareStaging(dataDir)
  try {
    const imported = await fill(input, staging, options)
    await publish(staging, dataDir)
    return imported
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function prepareStaging(dataDir: string): string {
  prepareDirectory(dataDir)
  const staging = join(dataDir, STAGING)
  // What an import that was killed has left.
  rmSync(staging, { recursive: true, force: true })
  const [found] = readdirSync(dataDir)
  if (found !== undefined)
    throw new StoreUnusable(
      `${dataDir} is not empty (${found}), and an import would replace what is there`,
      'Choose a directory that is empty or does not exist',
    )
  return staging
}

async function fill(input: Readable, staging: string, options: ImportOptions): Promise<Imported> {
  const { keepLedgerId = false, newLedgerId = randomUUID } = options
  return withStore(staging, async (store) => {
    const importer = createImporter(store)
    let counts: BackupCounts = NO_COUNTS
    for await (const record of verifiedRecords(input)) {
      counts = countIn(counts, record)
      await importer.take(record)
    }
    return { ...counts, ...(await importer.end(keepLedgerId ? undefined : newLedgerId())) }
  })
}

/** Every record as it comes; the digest is compared before the last one is believed. */
async function* verifiedRecords(input: Readable): AsyncGenerator<BackupRecord> {
  const digest = createHash('sha256')
  let lines = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const record = parseRecord(line, lines + 1)
    if (lines === 0) checkFirst(record)
    if (record.kind === 'end') {
      if (record.records !== lines || record.digest !== digest.digest('hex'))
        throw new DamagedJournal(
          `The export is damaged: its ${lines} records do not match its digest`,
        )
      return
    }
    digest.update(`${line}\n`)
    lines++
    yield record
  }
  throw new DamagedJournal(`The export is cut off: it ends after ${lines} records without a digest`)
}

function parseRecord(line: string, number: number): BackupRecord {
  try {
    // Its shape is trusted only as far as the digest at the end confirms it.
    return JSON.parse(line) as BackupRecord
  } catch (cause) {
    throw new DamagedJournal(`Line ${number} of the export is not JSON`, { cause })
  }
}

function checkFirst(record: BackupRecord): void {
  if (record.kind !== 'ledger')
    throw new DamagedJournal('This is not an export: it does not begin with a ledger record')
  if (record.v > BACKUP_VERSION)
    throw new StoreUnusable(
      `The export has format ${record.v}; this version reads up to ${BACKUP_VERSION}`,
      'Import it with the newer version that wrote it',
    )
}

/** The database first: beside it a missing witness is made anew, a witness alone says "lost". */
async function publish(staging: string, dataDir: string): Promise<void> {
  const from = filesIn(staging)
  const to = filesIn(dataDir)
  renameSync(from.database, to.database)
  renameSync(from.witness, to.witness)
  await flushDirectory(dataDir)
}
