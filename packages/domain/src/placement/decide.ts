import type { Board } from './board.ts'
import type { DecisionSummary, PlacementRequest, Ranking } from './decision.ts'
import type { Policy } from './policy.ts'
import { rowsOf } from './ranking-rows.ts'
import { createScoring } from './scoring.ts'
import { countRefusals, createSieve } from './sieve.ts'

export type Decision = Readonly<{ winner?: string; summary: DecisionSummary }>

export type Placement = {
  /** Chooses a cluster in one linear pass, and says why in short. */
  decide(board: Board, request: PlacementRequest): Decision
  /** The same choice as a table with every number, at most `rowsMax` rows of it. */
  rank(board: Board, request: PlacementRequest, limit?: Readonly<{ rowsMax: number }>): Ranking
}

const BEST_MAX = 5

export function createPlacement(policy: Policy): Placement {
  const sift = createSieve()
  const scoring = createScoring(policy)

  return {
    decide(board, request) {
      const field = sift(board, request)
      scoring.weigh(field)
      const best = scoring.best(BEST_MAX).map(scoring.scored)
      const summary = { policy: policy.version, best, refused: countRefusals(field) }
      const winner = best[0]?.clusterId
      return winner === undefined ? { summary } : { winner, summary }
    },

    rank(board, request, { rowsMax } = { rowsMax: Number.POSITIVE_INFINITY }) {
      const field = sift(board, request)
      scoring.weigh(field)
      return { policy: policy.version, request, ...rowsOf({ field, scoring, rowsMax }) }
    },
  }
}
