import { amountOf } from '../../quantity/resources.ts'
import type { Scorer } from '../scorer.ts'

/**
 * Prefers the cluster that keeps the largest share of its supply free once the request has
 * landed: the mean over the requested resources of 100·(available − wanted)/allocatable.
 */
export const resourcesScorer: Scorer = {
  name: 'resources',

  score({ board, request, slots, count }, scores) {
    scores.fill(0, 0, count)
    // Only what is asked for counts: idle GPUs must not attract a request for cpu alone.
    const names = Object.keys(request.wanted).filter((name) => amountOf(request.wanted, name) > 0n)
    const points = 100 / names.length
    for (const name of names) {
      const column = board.column(name)
      if (column === undefined) continue // nobody has any: no share is left
      const { available, unitShare } = column
      const wanted = Number(amountOf(request.wanted, name))
      // What fits leaves between nothing and all of it, so there is nothing to clamp.
      for (let at = 0; at < count; at += 1) {
        const slot = slots[at] ?? 0
        const share = ((available[slot] ?? 0) - wanted) * (unitShare[slot] ?? 0)
        scores[at] = (scores[at] ?? 0) + points * share
      }
    }
    return names.length > 0
  },
}
