import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { DamagedJournal } from '../../port/journal.ts'

type Column = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** A row's own checksum, so that no flipped bit in it is ever believed. */
export const sumOf = (columns: readonly Column[]): number => crc32(JSON.stringify(columns))

const TOTAL_LIMIT = 2 ** 52

/** Sums of sums, for any order of rows; kept below what a double holds exactly. */
export const addSums = (total: number, change: number): number =>
  (((total + change) % TOTAL_LIMIT) + TOTAL_LIMIT) % TOTAL_LIMIT

export const GUARDED = {
  decisions: ['id', 'text'],
  ended: ['id', 'created_at', 'ended_at', 'request_key', 'text'],
  parties: ['cluster', 'created_at', 'id', 'roles'],
  requests: ['key', 'requester', 'at', 'reservation', 'tombstone'],
} as const
export type GuardedName = keyof typeof GUARDED

/**
 * A table whose rows carry a checksum, and whose number of rows and sum of checksums are kept
 * beside it: neither a changed nor a missing row goes unnoticed.
 */
export function createGuardedTable(db: DatabaseSync, name: GuardedName) {
  const columns = GUARDED[name]
  const marks = [...columns, 'sum'].map(() => '?').join(', ')
  const put = db.prepare(`INSERT INTO ${name} VALUES (${marks}) ON CONFLICT DO NOTHING`)
  const total = db.prepare(
    'UPDATE totals SET count = count + ?, sum = (sum + ?) % ? WHERE name = ?',
  )
  return { insert, remover }

  /** Writing a row again changes nothing, and says so. */
  function insert(values: readonly Column[]): boolean {
    const sum = sumOf(values)
    const isNew = put.run(...values, sum).changes === 1
    if (isNew) adjust(1, sum)
    return isNew
  }

  /** Prepares a deletion; it returns the rows that are gone. */
  function remover(where: string): (...values: readonly SQLInputValue[]) => readonly Row[] {
    const statement = db.prepare(`DELETE FROM ${name} WHERE ${where} RETURNING *`)
    return (...values) => {
      const rows = statement.all(...values)
      let sum = 0
      for (const row of rows) sum = addSums(sum, -Number(verifiedRow(name, row).sum))
      if (rows.length > 0) adjust(-rows.length, sum)
      return rows
    }
  }

  function adjust(count: number, sum: number): void {
    total.run(count, sum, TOTAL_LIMIT, name)
  }
}

export function verifiedRow(name: GuardedName, row: Row): Row {
  const values = GUARDED[name].map((column) => row[column] as Column)
  if (sumOf(values) !== row.sum)
    throw new DamagedJournal(
      `Row ${JSON.stringify(values[0])} of ${name} does not match its checksum`,
    )
  return row
}
