import type { Board } from '../board/board.ts'
import type { Verdicts } from '../board/verdicts.ts'
import type { Need, PlacementRequest } from '../decision/decision.ts'

/** One reason to pass clusters over. */
export type Filter<N extends Need = Need> = Readonly<{
  name: string
  /** All that it reads of a request: requests that agree on these share one judgement. */
  needs: readonly N[]
  /**
   * Refuses the clusters that it is against. Filters work on all clusters at once, as tight loops
   * over arrays: a call for each cluster takes five times as long. What a cluster holds may only
   * lead to `Insufficient`: the memo looks at nothing else again when holdings change.
   */
  refuse(board: Board<never>, request: Pick<PlacementRequest, N>, verdicts: Verdicts): void
}>
