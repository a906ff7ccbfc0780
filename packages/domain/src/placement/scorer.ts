import type { Board } from './board.ts'
import type { PlacementRequest } from './decision.ts'

/** The clusters that passed every filter: `slots[0..count-1]`. */
export type Candidates = {
  readonly board: Board
  readonly request: PlacementRequest
  readonly slots: Int32Array
  readonly count: number
}

/** One merit of a cluster, from 0 to 100; 100 is best. */
export type Scorer = Readonly<{
  name: string
  /**
   * Fills scores[i] for slots[i]. False: it has nothing to say about this request, and the
   * weights of the others count for all.
   */
  score(candidates: Candidates, scores: Float64Array): boolean
}>
