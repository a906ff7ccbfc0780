export type { Band } from './base-score.ts'
export { bandOf, baseScoreOf, formatScore } from './base-score.ts'
export type { Board, Column, ExactFigures, Prices } from './board.ts'
export { Mark } from './board.ts'
export type { IsHidden } from './coarse-board.ts'
export { coarseBoard, coarseRefusals } from './coarse-board.ts'
export type { ClusterFacts, WritableBoard } from './create-board.ts'
export { createBoard } from './create-board.ts'
export type { Decision, Placement } from './decide.ts'
export { createPlacement } from './decide.ts'
export type {
  DecisionSummary,
  PlacementRequest,
  Ranking,
  RankingRow,
  RefusalCode,
  RefusalCounts,
  Scored,
} from './decision.ts'
export { REFUSAL_CODES } from './decision.ts'
export type { Telling } from './explain-sentence.ts'
export { refusalSentence, summarySentence } from './explain-sentence.ts'
export type { ParsedPolicy, Policy } from './policy.ts'
export { defaultPolicy, parseWeights } from './policy.ts'
export { priceFor } from './price.ts'
