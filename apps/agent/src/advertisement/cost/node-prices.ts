import { given } from '@bourse/daemon/given'
import { formatMoney, isGpu, type Money, parseMoney, parseQuantity } from '@bourse/domain/quantity'
import { leftOutBecause, type NodeObject, type NodeRules } from '../../capacity/index.ts'
import type { Prices } from './prices.ts'

export type PricedNode = Readonly<{
  cpu: PricedAmount
  memory: PricedAmount
  gpu: PricedAmount
}>
type PricedAmount = Readonly<{ amount: bigint; price: Money | undefined }>

const LABELS = {
  cpu: 'bourse.dev/cpu-cost',
  memory: 'bourse.dev/memory-cost',
  gpu: 'bourse.dev/gpu-cost',
} as const

/** The prices of a node's labels and its weight; undefined: none, or it does not count. */
export function pricedNode(node: NodeObject, rules: NodeRules): PricedNode | undefined {
  const { metadata, status } = node
  // A node that is not lent has no price; the labels of a borrowed node are another cluster's.
  if (leftOutBecause(node, rules) !== undefined) return undefined
  const priceOf = (label: string) => {
    const parsed = parseMoney(metadata.labels?.[label] ?? '')
    return parsed.kind === 'ok' ? parsed.money : undefined
  }
  const allocatable = Object.entries(status?.allocatable ?? {})
  const amountOf = (isMeant: (name: string) => boolean) =>
    allocatable
      .filter(([name]) => isMeant(name))
      .map(([name, written]) => read(name, String(written)))
      .reduce((total, amount) => total + amount, 0n)
  const priced = {
    cpu: { amount: amountOf((name) => name === 'cpu'), price: priceOf(LABELS.cpu) },
    memory: { amount: amountOf((name) => name === 'memory'), price: priceOf(LABELS.memory) },
    gpu: { amount: amountOf(isGpu), price: priceOf(LABELS.gpu) },
  }
  return Object.values(priced).some(({ price }) => price !== undefined) ? priced : undefined
}

/** Weighted by size: a node of 64 cores counts sixteen times as much as one of four. */
export function averagePrices(nodes: Iterable<PricedNode>): Prices {
  const all = [...nodes]
  return given({
    cpuCost: average(all.map(({ cpu }) => cpu)),
    memoryCost: average(all.map(({ memory }) => memory)),
    gpuCost: average(all.map(({ gpu }) => gpu)),
  })
}

function average(parts: readonly PricedAmount[]): string | undefined {
  const priced = parts.filter(({ amount, price }) => price !== undefined && amount > 0n)
  const weight = priced.reduce((total, { amount }) => total + amount, 0n)
  if (weight === 0n) return undefined
  const money = priced.reduce((total, { amount, price = 0n }) => total + amount * price, 0n)
  return formatMoney(money / weight)
}

function read(name: string, written: string): bigint {
  const parsed = parseQuantity(written, { unit: name === 'cpu' ? 'milli' : 'whole', round: 'down' })
  return parsed.kind === 'ok' ? parsed.amount : 0n
}
