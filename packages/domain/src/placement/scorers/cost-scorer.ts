import { Priced } from '../board.ts'
import { BYTES_PER_GIB, billableOf, MILLI_PER_CORE } from '../price.ts'
import type { Candidates, Scorer } from '../scorer.ts'

/** In place of a price; no price is below nothing. */
const UNPRICED = -1

/**
 * Prefers the cheapest: 100·cheapest/price for this request, free is 100. An unpriced candidate
 * gets the mean of the priced ones: hiding one's price brings neither gain nor loss.
 */
export const costScorer: Scorer = {
  name: 'cost',

  score(candidates, scores) {
    const { count } = candidates
    const cheapest = fillPrices(candidates, scores)
    if (cheapest === Number.POSITIVE_INFINITY) return false

    let sum = 0
    let unpricedCount = 0
    for (let at = 0; at < count; at += 1) {
      const price = scores[at] ?? UNPRICED
      if (price === UNPRICED) {
        unpricedCount += 1
        continue
      }
      const score = price === 0 ? 100 : (100 * cheapest) / price
      scores[at] = score
      sum += score
    }
    if (unpricedCount === 0) return true
    const mean = sum / (count - unpricedCount)
    for (let at = 0; at < count; at += 1) if (scores[at] === UNPRICED) scores[at] = mean
    return true
  },
}

/** Puts each candidate's price in place of its score, if it has one; returns the lowest. */
function fillPrices({ board, request, slots, count }: Candidates, into: Float64Array): number {
  const { cpu, memory, gpu, has } = board.prices
  const billable = billableOf(request.wanted)
  const cores = Number(billable.cpu) / Number(MILLI_PER_CORE)
  const gib = Number(billable.memory) / Number(BYTES_PER_GIB)
  const gpus = Number(billable.gpu)
  const asked =
    (cores > 0 ? Priced.cpu : 0) | (gib > 0 ? Priced.memory : 0) | (gpus > 0 ? Priced.gpu : 0)

  let cheapest = Number.POSITIVE_INFINITY
  // One pass over all three prices: passes, not sums, are what takes time with many clusters.
  for (let at = 0; at < count; at += 1) {
    const slot = slots[at] ?? 0
    const isPriced = ((has[slot] ?? 0) & asked) !== 0
    const price = cores * (cpu[slot] ?? 0) + gib * (memory[slot] ?? 0) + gpus * (gpu[slot] ?? 0)
    into[at] = isPriced ? price : UNPRICED
    if (isPriced && price < cheapest) cheapest = price
  }
  return cheapest
}
