import { existsSync } from 'node:fs'
import { acceptIn } from '../../rollback/accept-command.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { noteFile } from '../port/store-notes.ts'
import { filesIn } from '../sqlite/disk/files.ts'
import { type VerifiedStore, verifyDirectory } from '../sqlite/open-store.ts'

export type { StorePlace } from '../opening/store-place.ts'
export { acceptRollback } from './accept-rollback.ts'
export { exportElsewhere } from './export-elsewhere.ts'
export { exportStore } from './export-store.ts'
export { importElsewhere } from './import-elsewhere.ts'
export { importStore } from './import-store.ts'

const olderCopy = (dataDir: string) =>
  'It is an older copy of its ledger, as was proved to its broker: restore the newest copy, or ' +
  `accept the loss with \`${acceptIn(dataDir)}\``

/** Whether there is anything of a ledger: one whose database is lost still has its witness. */
export function holdsLedger(dataDir: string): boolean {
  const { database, witness } = filesIn(dataDir)
  return [database, witness, noteFile(dataDir, 'proof-key')].some((file) => existsSync(file))
}

/** Reads and compares everything in a directory, also while its broker runs. Blocks its thread. */
export function verifyStore(dataDir: string): VerifiedStore {
  if (!existsSync(filesIn(dataDir).database))
    throw new StoreUnusable(`There is no ledger in ${dataDir}`, 'Check --data-dir')
  const verified = verifyDirectory(dataDir)
  const isOlder = existsSync(noteFile(dataDir, 'rolled-back'))
  return isOlder ? { ...verified, notices: [...verified.notices, olderCopy(dataDir)] } : verified
}
