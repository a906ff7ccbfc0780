import { amountOf } from '../../quantity/resources.ts'
import type { Field } from '../board/verdicts.ts'
import type { Scorer } from './scorer.ts'

/**
 * Prefers the cluster that keeps the largest share of its supply free once the request has
 * landed: the mean over the requested resources of 100·(available − wanted)/allocatable.
 */
export const resourcesScorer: Scorer<'wanted', never> = {
  name: 'resources',
  needs: ['wanted'],
  reads: [],

  score: (field, scores) => fillShares(field, scores, { from: 0, to: field.board.count }),

  rescore(field, scores, slot) {
    fillShares(field, scores, { from: slot, to: slot + 1 })
  },
}

type Asked = Pick<Field<'wanted', never>, 'board' | 'request'>
type Span = Readonly<{ from: number; to: number }>

function fillShares({ board, request }: Asked, scores: Float64Array, { from, to }: Span): boolean {
  const { wanted } = request
  scores.fill(0, from, to)
  // Only wanted resources count: idle GPUs must not attract a request for cpu alone.
  const names = Object.keys(wanted).filter((name) => amountOf(wanted, name) > 0n)
  const points = 100 / names.length
  for (const name of names) {
    const column = board.column(name)
    if (column === undefined) continue // no cluster has any
    const { available, unitShare } = column
    const amount = Number(amountOf(wanted, name))
    // A candidate fits, so that the share is between 0 and 1.
    for (let slot = from; slot < to; slot += 1) {
      const share = ((available[slot] ?? 0) - amount) * (unitShare[slot] ?? 0)
      scores[slot] = (scores[slot] ?? 0) + points * share
    }
  }
  return names.length > 0
}
