import type { Board } from '../board/board.ts'
import type { Verdicts } from '../board/verdicts.ts'
import type { Need, PlacementRequest } from '../decision/decision.ts'

/** One reason to refuse clusters. */
export type Filter<N extends Need = Need> = Readonly<{
  name: string
  /** All that it reads of a request: requests that agree on these share one judgement. */
  needs: readonly N[]
  /**
   * Refuses clusters, all in one call: tight loops over arrays are five times as quick as a call
   * for each cluster. What a cluster holds may only lead to a `lackOfRoom`: the memo revises
   * nothing else when holdings change.
   */
  refuse(board: Board<never>, request: Pick<PlacementRequest, N>, verdicts: Verdicts): void
}>
