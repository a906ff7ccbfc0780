import type { Board } from '../board/board.ts'
import type { Verdicts } from '../board/verdicts.ts'
import type { PlacementRequest } from '../decision/decision.ts'

/** All clusters after every filter has spoken: candidates are those that passed. */
export type Field = {
  readonly board: Board
  readonly request: PlacementRequest
  readonly verdicts: Verdicts
}

/** One merit of a cluster, from 0 to 100; 100 is best. */
export type Scorer = Readonly<{
  name: string
  /**
   * Fills scores[slot], also for clusters that are out, whose scores nobody looks at: to skip
   * them would take longer. False: it has nothing to say about this request, and the weights of
   * the others count for all.
   */
  score(field: Field, scores: Float64Array): boolean
  /** Scores a candidate anew whose holding has changed; absent: holdings do not matter to it. */
  rescore?(field: Field, scores: Float64Array, slot: number): void
  /** Whether others would score differently without this candidate; absent: never. */
  leansOn?(field: Field, scores: Float64Array, slot: number): boolean
}>
