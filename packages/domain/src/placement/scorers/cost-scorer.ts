import type { Board, MeasureColumn } from '../board/board.ts'
import { type Billable, BYTES_PER_GIB, billableOf, MILLI_PER_CORE } from '../board/price.ts'
import { PASSED } from '../board/verdicts.ts'
import type { Scorer } from './scorer.ts'

type Price = 'cpu-price' | 'memory-price' | 'gpu-price'

const BEST_SCORE = 100
/** In place of a price: never the cheapest, and 100·cheapest/price is 0. */
const NO_PRICE = Number.POSITIVE_INFINITY

/**
 * Prefers the cheapest: 100·cheapest/price for this request, free is 100. An unpriced candidate
 * gets the mean of the priced ones: to hide a price brings neither gain nor loss.
 *
 * Several plain passes take half the time of one pass with branches.
 */
export const costScorer: Scorer<'wanted', Price> = {
  name: 'cost',
  needs: ['wanted'],
  reads: ['cpu-price', 'memory-price', 'gpu-price'],

  score({ board, request, verdicts }, scores) {
    const { count } = board
    const { bySlot, out, outCount } = verdicts
    const billable = billableOf(request.wanted)
    const prices = askedPrices(board, billable)
    if (prices.every(({ knownCount }) => knownCount === 0)) return false
    const unpriced = unpricedSlots(board, prices)
    fillPrices(board, billable, scores)
    for (const slot of unpriced) scores[slot] = NO_PRICE
    for (let at = 0; at < outCount; at += 1) scores[out[at] ?? 0] = NO_PRICE
    const cheapest = lowestOf(scores, count)
    if (cheapest === NO_PRICE) return false

    const sum = compareWith(cheapest, scores, count)
    const unpricedCandidates = unpriced.filter((slot) => bySlot[slot] === PASSED)
    const mean = sum / (count - outCount - unpricedCandidates.length)
    for (const slot of unpricedCandidates) scores[slot] = mean
    return true
  },

  /** The only cheapest one does; all do where some candidates get the mean of the others. */
  affectsOthers({ board, request, verdicts }, scores, slot) {
    const prices = askedPrices(board, billableOf(request.wanted))
    if (unpricedSlots(board, prices).length > 0) return true
    if (scores[slot] !== BEST_SCORE) return false
    for (let other = 0; other < board.count; other += 1) {
      const isAsCheap = scores[other] === BEST_SCORE && verdicts.bySlot[other] === PASSED
      if (isAsCheap && other !== slot) return false
    }
    return true
  },
}

/** The request's price on each cluster. What has no price costs 0. */
function fillPrices(board: Board<Price>, billable: Billable, into: Float64Array): void {
  const { count } = board
  const cpu = board.measure('cpu-price').values
  const memory = board.measure('memory-price').values
  const gpu = board.measure('gpu-price').values
  const cores = Number(billable.cpu) / Number(MILLI_PER_CORE)
  const gib = Number(billable.memory) / Number(BYTES_PER_GIB)
  const gpus = Number(billable.gpu)
  for (let slot = 0; slot < count; slot += 1)
    into[slot] = cores * (cpu[slot] ?? 0) + gib * (memory[slot] ?? 0) + gpus * (gpu[slot] ?? 0)
}

/** The prices that count for a request. */
function askedPrices(board: Board<Price>, { cpu, memory, gpu }: Billable): MeasureColumn[] {
  const asked: MeasureColumn[] = []
  if (cpu > 0n) asked.push(board.measure('cpu-price'))
  if (memory > 0n) asked.push(board.measure('memory-price'))
  if (gpu > 0n) asked.push(board.measure('gpu-price'))
  return asked
}

/** The clusters that have none of these prices. */
function unpricedSlots(board: Board<Price>, prices: readonly MeasureColumn[]): readonly number[] {
  const { known, count } = board
  if (prices.some(({ knownCount }) => knownCount === count)) return []
  const asked = prices.reduce((bits, { bit }) => bits | bit, 0)

  const slots: number[] = []
  for (let slot = 0; slot < count; slot += 1)
    if (((known[slot] ?? 0) & asked) === 0) slots.push(slot)
  return slots
}

function lowestOf(prices: Float64Array, count: number): number {
  let lowest = NO_PRICE
  for (let slot = 0; slot < count; slot += 1) lowest = Math.min(lowest, prices[slot] ?? lowest)
  return lowest
}

/** Puts a score in place of each price; returns the sum of the scores. */
function compareWith(cheapest: number, scores: Float64Array, count: number): number {
  let sum = 0
  for (let slot = 0; slot < count; slot += 1) {
    const price = scores[slot] ?? NO_PRICE
    // Not by division, which may miss 100 by a rounding error: `affectsOthers` asks for just that.
    const score = price === cheapest ? BEST_SCORE : (BEST_SCORE * cheapest) / price
    scores[slot] = score
    sum += score
  }
  return sum
}
