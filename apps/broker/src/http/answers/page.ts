import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '@bourse/contract'
import type { FieldCheck } from '../errors/field-check.ts'

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
  check.add('cursor', 'is not a cursor of this broker: use the nextCursor of the page before')
  return []
}

type Place = Readonly<{ limit: number; after: string }>

/** For lists in the order of their ids. */
export function readPlace(query: PageQuery, check: FieldCheck): Place {
  const limit = readLimit(query.limit, check)
  const [after = ''] = query.cursor ? readCursor(query.cursor, check) : []
  return { limit, after: `${after}` }
}

/** What follows a place, in the order of the ids. */
export function pageById<Row>(
  all: Iterable<Row>,
  { limit, after }: Place,
  idOf: (row: Row) => string,
) {
  const rest = [...all].filter((row) => idOf(row) > after)
  const rows = rest.sort((left, right) => (idOf(left) < idOf(right) ? -1 : 1)).slice(0, limit)
  const cursorAfter = (row: Row) => writeCursor([idOf(row)])
  const last = rows.at(-1)
  const nextCursor = rest.length > limit && last ? cursorAfter(last) : undefined
  return { rows, cursorAfter, nextCursor }
}

/** One of a few words; undefined if it is left out. */
export function readChoice<Choice extends string>(
  path: string,
  written: string | undefined,
  { choices, check }: Readonly<{ choices: readonly Choice[]; check: FieldCheck }>,
): Choice | undefined {
  if (written === undefined || written === '') return undefined
  const choice = choices.find((one) => one === written)
  if (!choice)
    check.add(path, `'${written}' is not ${choices.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`)
  return choice
}
