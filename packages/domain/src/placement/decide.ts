import type { Resources } from '../quantity/resources.ts'
import type { Leg } from '../reservation/reservation.ts'
import type { Board } from './board/board.ts'
import { type Field, PASSED } from './board/verdicts.ts'
import type { DecisionSummary, PlacementRequest, Ranking } from './decision/decision.ts'
import { countRefusals, createFiltering } from './filters/filtering.ts'
import { createSheets } from './memo.ts'
import { rowsOf } from './ranking-rows.ts'
import { rules as allRules, type Rules } from './rules.ts'
import type { Policy } from './scorers/policy.ts'
import { createScoring, type Scoring } from './scorers/scoring.ts'

export type Decision = Readonly<{
  /** Empty: nothing fits. */
  legs: readonly Leg[]
  summary: DecisionSummary
  /** Equal to the request's; equal requests share one value. */
  wanted: Resources
}>

export type Placement = {
  /** Chooses a cluster in one linear pass, with a short explanation. */
  decide(board: Board, request: PlacementRequest): Decision
  /** The same choice as a table with every number, at most `rowsMax` rows of it. */
  rank(board: Board, request: PlacementRequest, limit?: Readonly<{ rowsMax: number }>): Ranking
}

const BEST_MAX = 5

export function createPlacement(policy: Policy, rules: Rules = allRules): Placement {
  const filterAll = createFiltering(rules.filters)
  const scoring = createScoring(policy, rules.scorers)
  const sheetFor = createSheets(policy, rules)

  return {
    decide(board, request) {
      const { field, judged, own } = judge(board, request)
      const best = judged.best(BEST_MAX, own).map(judged.scored)
      const summary = { policy: policy.version, best, refused: countRefusals(field, own) }
      const { wanted } = field.request
      const legs = best.slice(0, 1).map(({ clusterId }) => ({ clusterId, resources: wanted }))
      return { legs, summary, wanted }
    },

    rank(board, request, { rowsMax } = { rowsMax: Number.POSITIVE_INFINITY }) {
      const field = filterAll(board, request)
      scoring.weigh(field)
      return { policy: policy.version, request, ...rowsOf({ field, scoring, rowsMax }) }
    },
  }

  /** Uses cached scores, unless removing the requester changes other scores. */
  function judge(board: Board, request: PlacementRequest): Judged {
    const own = board.slotOf(request.requester)
    const sheet = sheetFor(board, request)
    if (sheet) {
      const isCandidate = own !== undefined && sheet.field.verdicts.bySlot[own] === PASSED
      if (!isCandidate || !sheet.scoring.affectsOthers(sheet.field, own))
        return { field: sheet.field, judged: sheet.scoring, own }
    }
    const field = filterAll(board, request)
    scoring.weigh(field)
    return { field, judged: scoring, own: undefined }
  }
}

/** `own`: the requester's slot, if `notTheRequester` has not refused it yet. */
type Judged = Readonly<{ field: Field; judged: Scoring; own: number | undefined }>
