import type { Board } from '../board/board.ts'
import type { Field } from '../board/verdicts.ts'
import { roundScore } from '../decision/base-score.ts'
import type { Scored } from '../decision/decision.ts'
import { OUT } from '../selection/first-of.ts'
import { createFrontRunners } from '../selection/front-runners.ts'
import type { Policy } from './policy.ts'
import type { Scorer } from './scorer.ts'

/**
 * Scores are compared in steps of 2^-33 of a point: coarser than rounding errors, so that equal
 * clusters tie in any order of addition. Two decimals are shown.
 */
const STEPS_PER_POINT = 2 ** 33
const ROUNDING = 1.5 * 2 ** 52

export type Scoring = {
  /** Scores all candidates. */
  weigh(field: Field): void
  /** Scores one candidate again, of which only the holding has changed. */
  reweigh(field: Field, slot: number): void
  /** Whether other scores would change without this candidate. */
  affectsOthers(field: Field, slot: number): boolean
  /** The slots of the best candidates in order, without `except`. */
  best(max: number, except?: number): readonly number[]
  scored(slot: number): Scored
}

/** Scores candidates by a policy. Results are valid until the next `weigh`. */
export function createScoring(policy: Policy, scorers: readonly Scorer[]): Scoring {
  const weighted = scorers
    .map((scorer) => ({ scorer, weight: policy.weights.get(scorer.name) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .map((one) => ({ ...one, scores: new Float64Array(0), applies: false, steps: 0 }))
  let totals = new Float64Array(0)
  let board: Board | undefined
  /** Results of `scored` since the slot was scored. */
  const results = new Map<number, Scored>()
  const frontRunners = createFrontRunners()

  return { weigh, reweigh, affectsOthers, best, scored }

  function best(max: number, except?: number): readonly number[] {
    const order = { count: board?.count ?? 0, max, ranks: totals, isBefore: isBetter }
    return frontRunners.first(order, except)
  }

  function weigh(next: Field): void {
    board = next.board
    results.clear()
    frontRunners.forget()
    makeRoom(board.marks.length)
    for (const one of weighted) one.applies = one.scorer.score(next, one.scores)
    // Of the scorers that apply. If none does, all score 0 and ties decide.
    const weightSum = weighted.reduce((sum, one) => sum + (one.applies ? one.weight : 0), 0)
    for (const one of weighted) one.steps = (STEPS_PER_POINT * one.weight) / weightSum
    addUp(0, board.count)
    const { out, outCount } = next.verdicts
    for (let at = 0; at < outCount; at += 1) totals[out[at] ?? 0] = OUT
  }

  function reweigh(field: Field, slot: number): void {
    for (const { scorer, scores, applies } of weighted)
      if (applies) scorer.rescore?.(field, scores, slot)
    results.delete(slot)
    addUp(slot, slot + 1)
    frontRunners.moved(slot, totals[slot] ?? OUT)
  }

  function addUp(from: number, to: number): void {
    const sums = totals // closed-over variables are slow in a loop
    sums.fill(0, from, to)
    for (const { scores, steps, applies } of weighted) {
      if (!applies) continue
      // Rounded scorer by scorer: a pass of its own would take longer.
      // At ROUNDING a double has no room for fractions, so adding it and taking it away rounds.
      for (let slot = from; slot < to; slot += 1)
        sums[slot] = (sums[slot] ?? 0) + (steps * (scores[slot] ?? 0) + ROUNDING - ROUNDING)
    }
  }

  function affectsOthers(field: Field, slot: number): boolean {
    return weighted.some(
      ({ scorer, scores, applies }) => applies && scorer.affectsOthers?.(field, scores, slot),
    )
  }

  /** contract: highest wins; ties: fewest live reservations, then cluster id */
  function isBetter(left: number, right: number): boolean {
    const lead = (totals[left] ?? 0) - (totals[right] ?? 0)
    if (lead !== 0) return lead > 0
    const liveCounts = board?.liveCounts
    const more = (liveCounts?.[left] ?? 0) - (liveCounts?.[right] ?? 0)
    return more !== 0 ? more < 0 : idOf(left) < idOf(right)
  }

  function scored(slot: number): Scored {
    const known = results.get(slot)
    if (known) return known
    const next = judged(slot)
    results.set(slot, next)
    return next
  }

  function judged(slot: number): Scored {
    const parts: Record<string, number> = {}
    for (const { scorer, scores, applies } of weighted)
      if (applies) parts[scorer.name] = roundScore(scores[slot] ?? 0)
    const score = roundScore((totals[slot] ?? 0) / STEPS_PER_POINT)
    return { clusterId: idOf(slot), score, parts }
  }

  function idOf(slot: number): string {
    return board?.clusterIds[slot] ?? ''
  }

  function makeRoom(capacity: number): void {
    if (totals.length >= capacity) return
    totals = new Float64Array(capacity)
    for (const one of weighted) one.scores = new Float64Array(capacity)
  }
}
