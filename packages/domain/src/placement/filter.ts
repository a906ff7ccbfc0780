import type { Board } from './board.ts'
import type { PlacementRequest, RefusalCode } from './decision.ts'

/** Why the cluster in this slot cannot be chosen; undefined: this filter lets it pass. */
export type Check = (slot: number) => RefusalCode | undefined

/** One reason to pass clusters over. What holds for the whole request is worked out beforehand. */
export type Filter = Readonly<{
  name: string
  /** Undefined: this filter has nothing against any cluster. */
  prepare(board: Board, request: PlacementRequest): Check | undefined
}>
