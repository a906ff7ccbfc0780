export type { Board, Column, ExactFigures, Prices } from './board/board.ts'
export { Mark } from './board/board.ts'
export type { IsHidden } from './board/coarse-board.ts'
export { coarseBoard, coarseRefusals } from './board/coarse-board.ts'
export type { ClusterFacts, WritableBoard } from './board/create-board.ts'
export { createBoard } from './board/create-board.ts'
export { priceFor } from './board/price.ts'
export type { Decision, Placement } from './decide.ts'
export { createPlacement } from './decide.ts'
export type { Band } from './decision/base-score.ts'
export { bandOf, baseScoreOf, formatScore } from './decision/base-score.ts'
export type {
  DecisionSummary,
  PlacementRequest,
  Ranking,
  RankingRow,
  RefusalCode,
  RefusalCounts,
  Scored,
} from './decision/decision.ts'
export { REFUSAL_CODES } from './decision/decision.ts'
export type { Telling } from './decision/explain-sentence.ts'
export { refusalSentence, summarySentence } from './decision/explain-sentence.ts'
export type { Rules } from './rules.ts'
export { measuresRead, rules } from './rules.ts'
export type { ParsedPolicy, Policy } from './scorers/policy.ts'
export { defaultPolicy, parseWeights } from './scorers/policy.ts'
