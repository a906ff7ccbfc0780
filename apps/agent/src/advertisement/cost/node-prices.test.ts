import { describe, expect, it } from 'vitest'
import { averagePrices, pricedNode } from './node-prices.ts'

describe('prices from node labels', () => {
  it('are averaged by what each node has', () => {
    const nodes = [
      node('4', { 'cpu-cost': '0.02' }),
      node('12', { 'cpu-cost': '0.06' }),
      node('8', {}),
    ]

    // (4 × 0.02 + 12 × 0.06) / 16; the unpriced node does not count
    expect(averagePrices(nodes.flatMap((one) => pricedNode(one) ?? []))).toEqual({
      cpuCost: '0.05',
    })
  })

  it('are passed over where they are no price', () => {
    expect(pricedNode(node('4', { 'cpu-cost': 'cheap' }))).toBeUndefined()
  })
})

function node(cpu: string, prices: Record<string, string>) {
  const labels = Object.fromEntries(
    Object.entries(prices).map(([name, price]) => [`bourse.dev/${name}`, price]),
  )
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels },
    status: { allocatable: { cpu, memory: '8Gi' } },
  }
}
