import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@bourse/contract'
import type { Cluster } from '@bourse/domain/ledger'
import { createFieldCheck, type FieldCheck } from '../errors/field-check.ts'

export type PageQuery = Readonly<{ limit?: string; cursor?: string }>

export function readLimit(limit: string | undefined, check: FieldCheck): number {
  if (limit === undefined) return PAGE_SIZE_DEFAULT
  const size = Number(limit)
  // Number also reads '', '1e2' and '0x10'.
  if (/^\d+$/.test(limit) && size >= 1 && size <= PAGE_SIZE_MAX) return size
  check.add('limit', `'${limit}' is not a number from 1 to ${PAGE_SIZE_MAX}`)
  return PAGE_SIZE_DEFAULT
}

/** Opaque to callers, so that what it says may change. */
export function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The parts of a cursor that `writeCursor` made; anything else is the caller's mistake. */
export function readCursor(cursor: string, check: FieldCheck): readonly unknown[] {
  const text = Buffer.from(cursor, 'base64url').toString()
  // Only our own form is parsed: an array of strings without escapes, and whole numbers.
  if (/^\[("[\w.-]*"|\d{1,16})(,("[\w.-]*"|\d{1,16}))*\]$/.test(text)) return JSON.parse(text)
  check.add('cursor', 'is not one that this broker gave: use the nextCursor of the page before')
  return []
}

/** Clusters in the order of their ids. */
export function pageById(
  clusters: readonly Cluster[],
  query: PageQuery,
): { items: readonly Cluster[]; nextCursor?: string } {
  const check = createFieldCheck()
  const limit = readLimit(query.limit, check)
  const [after = ''] = query.cursor ? readCursor(query.cursor, check) : []
  check.done()

  const rest = clusters.filter(({ clusterId }) => clusterId > String(after))
  const ordered = rest.sort((left, right) => (left.clusterId < right.clusterId ? -1 : 1))
  const items = ordered.slice(0, limit)
  const last = items.at(-1)
  return ordered.length > limit && last
    ? { items, nextCursor: writeCursor([last.clusterId]) }
    : { items }
}
