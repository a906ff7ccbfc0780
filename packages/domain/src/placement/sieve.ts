import type { Board } from './board.ts'
import { Mark } from './board.ts'
import type { PlacementRequest, RefusalCode, RefusalCounts } from './decision.ts'
import type { Check } from './filter.ts'
import { filters } from './filters/index.ts'
import type { Candidates } from './scorer.ts'

/** All clusters in two heaps: candidates, and the refused with a reason each. */
export type Sifted = Candidates & {
  readonly refused: Int32Array
  readonly refusedCount: number
  /** Why refused[i] was refused. */
  readonly codes: readonly RefusalCode[]
}

/** Asks every filter about every cluster. What it returns is valid until it is used again. */
export function createSieve() {
  let slots = new Int32Array(0)
  let refused = new Int32Array(0)
  const codes: RefusalCode[] = []

  return function sift(board: Board, request: PlacementRequest): Sifted {
    makeRoom(board.marks.length)
    const checks = filters
      .map((filter) => filter.prepare(board, request))
      .filter((check) => check !== undefined)
    const { marks } = board
    let count = 0
    let refusedCount = 0
    for (let slot = 0; slot < board.count; slot += 1) {
      if (((marks[slot] ?? 0) & Mark.absent) !== 0) continue
      const code = firstRefusal(checks, slot)
      if (code === undefined) {
        slots[count] = slot
        count += 1
      } else {
        refused[refusedCount] = slot
        codes[refusedCount] = code
        refusedCount += 1
      }
    }
    return { board, request, slots, count, refused, refusedCount, codes }
  }

  function makeRoom(capacity: number): void {
    if (slots.length >= capacity) return
    slots = new Int32Array(capacity)
    refused = new Int32Array(capacity)
  }
}

function firstRefusal(checks: readonly Check[], slot: number): RefusalCode | undefined {
  for (const check of checks) {
    const code = check(slot)
    if (code !== undefined) return code
  }
  return undefined
}

const NONE: ReadonlySet<number> = new Set()

/** How many were refused for which reason, but for those at the given places. */
export function countRefusals({ codes, refusedCount }: Sifted, except = NONE): RefusalCounts {
  const counts: Partial<Record<RefusalCode, number>> = {}
  for (let at = 0; at < refusedCount; at += 1) {
    const code = codes[at]
    if (code !== undefined && !except.has(at)) counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}
