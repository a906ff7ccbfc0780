import type { Board } from './board.ts'
import { type PlacementRequest, REFUSAL_CODES, type RefusalCode } from './decision.ts'

/** A byte a slot: `PASSED`, `ABSENT`, or the mark of the first filter that refused the cluster. */
export type Verdicts = Uint8Array

export const PASSED = 0
export const ABSENT = 255

/** One reason to pass clusters over. */
export type Filter = Readonly<{
  name: string
  /**
   * Marks the clusters it refuses among those that still pass. Filters work on all clusters at
   * once, as tight loops over arrays: a call for each cluster takes five times as long.
   */
  refuse(board: Board, request: PlacementRequest, verdicts: Verdicts): void
}>

/** How a refusal is noted in `Verdicts`. */
export function markOf(code: RefusalCode): number {
  return REFUSAL_CODES.indexOf(code) + 1
}

export function codeOf(mark: number): RefusalCode | undefined {
  return REFUSAL_CODES[mark - 1]
}
