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
    const mean = sum / pricedCount
    for (let at = 0; at < count; at += 1) if (Number.isNaN(scores[at])) scores[at] = mean
    return true
  },
}

/** Puts each candidate's price in place of its score, NaN if it has none; returns the lowest. */
function fillPrices({ board, request, slots, count }: Candidates, into: Float64Array): number {
  const billable = billableOf(request.wanted)
  const parts = [
    { amount: Number(billable.cpu) / Number(MILLI_PER_CORE), prices: board.prices.cpu },
    { amount: Number(billable.memory) / Number(BYTES_PER_GIB), prices: board.prices.memory },
    { amount: Number(billable.gpu), prices: board.prices.gpu },
  ].filter(({ amount }) => amount > 0)

  into.fill(Number.NaN, 0, count)
  for (const { amount, prices } of parts) {
    for (let at = 0; at < count; at += 1) {
      const price = prices[slots[at] ?? 0] ?? Number.NaN
      if (Number.isNaN(price)) continue
      const sum = into[at] ?? Number.NaN
      into[at] = (Number.isNaN(sum) ? 0 : sum) + amount * price
    }
  }
  let cheapest = Number.POSITIVE_INFINITY
  for (let at = 0; at < count; at += 1) {
    const price = into[at] ?? Number.NaN
    if (price < cheapest) cheapest = price
  }
  return cheapest
}
