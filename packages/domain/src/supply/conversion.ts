import type { Prices } from '../placement/index.ts'
import { convertMoney, formatRates, type Rates } from '../quantity/rates.ts'
import type { Cost } from './cluster.ts'

/** Makes prices comparable: in the broker's currency, by the rates of today. */
export type Conversion = Readonly<{
  currency: string
  /** In the broker's currency; without a rate, why they do not count. */
  pricesOf(cost: Cost | undefined): Prices | undefined
  /** The rates that were applied so far, as `EUR=1.08`: what a decision notes. Empty: none. */
  applied(): string
}>

export function createConversion(currency: string, rates: Rates = new Map()): Conversion {
  const applied = new Map<string, bigint>()
  let appliedText = ''

  return { currency, pricesOf, applied: () => appliedText }

  function pricesOf(cost: Cost | undefined): Prices | undefined {
    if (!cost || cost.currency === currency) return cost
    const rate = rates.get(cost.currency)
    if (rate === undefined) return { unpriced: unpricedSentence(cost.currency, currency) }
    if (!applied.has(cost.currency)) {
      applied.set(cost.currency, rate)
      appliedText = formatRates(applied)
    }
    return converted(cost, rate)
  }
}

function unpricedSentence(from: string, to: string): string {
  return `prices in ${from} do not count: no rate to ${to} is known`
}

function converted({ cpu, memory, gpu }: Cost, rate: bigint): Prices {
  return {
    ...(cpu !== undefined && { cpu: convertMoney(cpu, rate) }),
    ...(memory !== undefined && { memory: convertMoney(memory, rate) }),
    ...(gpu !== undefined && { gpu: convertMoney(gpu, rate) }),
  }
}
