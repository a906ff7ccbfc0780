export type { Board, Column } from './board.ts'
export { Mark } from './board.ts'
export type {
  DecisionSummary,
  PlacementRequest,
  Ranking,
  RankingRow,
  RefusalCode,
  Scored,
} from './decision.ts'
