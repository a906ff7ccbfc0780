import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

export type RecordFile = {
  read(): readonly IssuedRecord[]
  /** All or nothing: the old file stays until the new one is complete. */
  write(records: readonly IssuedRecord[]): void
}

export function createRecordFile(dir: string): RecordFile {
  const path = join(dir, 'issued.json')
  return {
    read() {
      if (!existsSync(path)) return []
      // Only `write` below writes this file.
      return JSON.parse(readFileSync(path, 'utf8')) as readonly IssuedRecord[]
    },
    write(records) {
      const draft = `${path}.new`
      writeFileSync(draft, `${JSON.stringify(records, null, 2)}\n`)
      renameSync(draft, path)
    },
  }
}
