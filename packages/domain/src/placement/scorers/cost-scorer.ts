import { BYTES_PER_GIB, billableOf, MILLI_PER_CORE } from '../price.ts'
import type { Candidates, Scorer } from '../scorer.ts'

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
    let pricedCount = 0
    for (let at = 0; at < count; at += 1) {
      const price = scores[at] ?? Number.NaN
      if (Number.isNaN(price)) continue
      const score = price === 0 ? 100 : (100 * cheapest) / price
      scores[at] = score
      sum += score
      pricedCount += 1
    }
    if (pricedCount === count) return true
    const mean = sum / pricedCount
    for (let at = 0; at < count; at += 1) if (Number.isNaN(scores[at])) scores[at] = mean
    return true
  },
}

/** Puts each candidate's price in place of its score, NaN if it has none; returns the lowest. */
function fillPrices({ board, request, slots, count }: Candidates, into: Float64Array): number {
  const { prices } = board
  const billable = billableOf(request.wanted)
  const cores = Number(billable.cpu) / Number(MILLI_PER_CORE)
  const gib = Number(billable.memory) / Number(BYTES_PER_GIB)
  const gpus = Number(billable.gpu)

  let cheapest = Number.POSITIVE_INFINITY
  // One pass over all three prices: passes, not sums, are what takes time with many clusters.
  for (let at = 0; at < count; at += 1) {
    const slot = slots[at] ?? 0
    let price = Number.NaN
    if (cores > 0) price = plus(price, cores * (prices.cpu[slot] ?? Number.NaN))
    if (gib > 0) price = plus(price, gib * (prices.memory[slot] ?? Number.NaN))
    if (gpus > 0) price = plus(price, gpus * (prices.gpu[slot] ?? Number.NaN))
    into[at] = price
    if (price < cheapest) cheapest = price
  }
  return cheapest
}

/** What has no price (NaN) adds nothing. */
function plus(price: number, more: number): number {
  if (Number.isNaN(more)) return price
  return Number.isNaN(price) ? more : price + more
}
