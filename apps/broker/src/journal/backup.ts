import { existsSync } from 'node:fs'
import { filesIn } from './sqlite/files.ts'
import { type VerifiedStore, verifyDirectory } from './sqlite/open-store.ts'
import { StoreUnusable } from './store-unusable.ts'

export { exportElsewhere } from './export-elsewhere.ts'
export { exportStore } from './export-store.ts'
export { importElsewhere } from './import-elsewhere.ts'
export { importStore } from './import-store.ts'
export type { StorePlace } from './store-place.ts'

/** Whether there is anything of a ledger: one whose database is lost still has its witness. */
export function holdsLedger(dataDir: string): boolean {
  const { database, witness } = filesIn(dataDir)
  return existsSync(database) || existsSync(witness)
}

/** Reads and compares everything in a directory, also beside its broker. Blocks its thread. */
export function verifyStore(dataDir: string): VerifiedStore {
  if (!existsSync(filesIn(dataDir).database))
    throw new StoreUnusable(`There is no ledger in ${dataDir}`, 'Check --data-dir')
  return verifyDirectory(dataDir)
}
