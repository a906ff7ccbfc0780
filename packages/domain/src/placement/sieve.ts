import type { Board } from './board.ts'
import { Mark } from './board.ts'
import { type PlacementRequest, REFUSAL_CODES, type RefusalCode } from './decision.ts'
import { ABSENT, markOf, PASSED, type Verdicts } from './filter.ts'
import { filters } from './filters/index.ts'
import type { Candidates } from './scorer.ts'

/** All clusters in two heaps: candidates, and the refused with a reason each. */
export type Sifted = Candidates & {
  /** Slots, of which `refusedCount` count. */
  readonly refused: Int32Array
  readonly refusedCount: number
  /** The reasons, by slot. */
  readonly verdicts: Verdicts
}

/** Asks every filter about every cluster. What it returns is valid until it is used again. */
export function createSieve() {
  let slots = new Int32Array(0)
  let refused = new Int32Array(0)
  let allVerdicts = new Uint8Array(0)

  return function sift(board: Board, request: PlacementRequest): Sifted {
    makeRoom(board.marks.length)
    const verdicts = verdictsOf(board, request)
    const { count: slotCount } = board
    const passed = slots // closed-over variables are slow in a loop
    const failed = refused
    let count = 0
    let refusedCount = 0
    for (let slot = 0; slot < slotCount; slot += 1) {
      const verdict = verdicts[slot]
      if (verdict === PASSED) passed[count++] = slot
      else if (verdict !== ABSENT) failed[refusedCount++] = slot
    }
    return { board, request, slots, count, refused, refusedCount, verdicts }
  }

  function verdictsOf(board: Board, request: PlacementRequest): Verdicts {
    const { marks, markedCount, count } = board
    const verdicts = allVerdicts
    verdicts.fill(PASSED, 0, count)
    for (let slot = 0; markedCount > 0 && slot < count; slot += 1)
      if (((marks[slot] ?? 0) & Mark.absent) !== 0) verdicts[slot] = ABSENT
    for (const filter of filters) filter.refuse(board, request, verdicts)
    return verdicts
  }

  function makeRoom(capacity: number): void {
    if (slots.length >= capacity) return
    slots = new Int32Array(capacity)
    refused = new Int32Array(capacity)
    allVerdicts = new Uint8Array(capacity)
  }
}

/** How many were refused for which reason. */
export function countRefusals({ refused, refusedCount, verdicts }: Sifted) {
  const tally = new Uint32Array(REFUSAL_CODES.length + 1)
  for (let at = 0; at < refusedCount; at += 1) {
    const mark = verdicts[refused[at] ?? 0] ?? PASSED
    tally[mark] = (tally[mark] ?? 0) + 1
  }
  const counts: Partial<Record<RefusalCode, number>> = {}
  for (const code of REFUSAL_CODES) {
    const count = tally[markOf(code)] ?? 0
    if (count > 0) counts[code] = count
  }
  return counts
}
