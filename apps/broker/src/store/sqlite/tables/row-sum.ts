import { crc32 } from 'node:zlib'

type Column = string | number | null

/** A row's own checksum, so that no flipped bit in it is ever believed. */
export const sumOf = (columns: readonly Column[]): number => crc32(JSON.stringify(columns))

export const TOTAL_LIMIT = 2 ** 52

/** Sums of sums, for any order of rows; kept below what a double holds exactly. */
export const addSums = (total: number, change: number): number =>
  (((total + change) % TOTAL_LIMIT) + TOTAL_LIMIT) % TOTAL_LIMIT
