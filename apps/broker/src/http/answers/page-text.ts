import { INDEX_HEADER, PAGE_BYTES_MAX } from '@bourse/contract'
import type { FastifyReply } from 'fastify'

/** Rows that are shown and written at once; more of them wait for their caller's turn. */
export const SHORT_LIST_ROWS = 50

export type PageRows<Row> = Readonly<{
  rows: readonly Row[]
  show(row: Row): unknown
  /** The place after a row, where the next page begins. */
  cursorAfter(row: Row): string
  /** Where it begins if all these rows have room; undefined after the last page. */
  nextCursor?: string | undefined
}>

/** A page as JSON: it ends early, with its cursor, when it would be longer than PAGE_BYTES_MAX. */
export function pageText<Row>({ rows, show, cursorAfter, nextCursor }: PageRows<Row>): string {
  const texts: string[] = []
  let bytes = 0
  let next = nextCursor
  for (const [place, row] of rows.entries()) {
    const text = JSON.stringify(show(row))
    texts.push(text)
    bytes += Buffer.byteLength(text)
    if (bytes < PAGE_BYTES_MAX || place === rows.length - 1) continue
    next = cursorAfter(row)
    break
  }
  const rest = next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`
  return `{"items":[${texts.join(',')}]${rest}}`
}

export function answerPage<Row>(reply: FastifyReply, index: number, page: PageRows<Row>): void {
  const typed = reply.header('content-type', 'application/json; charset=utf-8')
  typed.header(INDEX_HEADER, index).send(pageText(page))
}
