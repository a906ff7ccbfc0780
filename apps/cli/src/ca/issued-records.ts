import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../files/directory.ts'

export type Role = 'cluster' | 'operator' | 'server'

/** One issued certificate. Without the record it could not be revoked by name. */
export type IssuedRecord = Readonly<{
  serial: string
  name: string
  role: Role
  issuedAt: string
  expiresAt: string
  revokedAt?: string
}>

export function createRecordFile(dir: string) {
  const path = join(dir, 'issued.json')
  return {
    read(): readonly IssuedRecord[] {
      if (!existsSync(path)) return []
      // Only `write` below writes this file.
      return JSON.parse(readFileSync(path, 'utf8')) as readonly IssuedRecord[]
    },
    write: (records: readonly IssuedRecord[]) =>
      replaceFile(path, `${JSON.stringify(records, null, 2)}\n`, 0o666),
  }
}
