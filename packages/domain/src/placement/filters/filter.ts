import type { Board } from '../board/board.ts'
import type { Verdicts } from '../board/verdicts.ts'
import type { PlacementRequest } from '../decision/decision.ts'

/** One reason to pass clusters over. */
export type Filter = Readonly<{
  name: string
  /**
   * Refuses the clusters that it is against. Filters work on all clusters at once, as tight loops
   * over arrays: a call for each cluster takes five times as long.
   */
  refuse(board: Board, request: PlacementRequest, verdicts: Verdicts): void
}>
