import { describe, expect, it } from 'vitest'
import { DEFAULT_NODE_RULES, type NodeObject } from '../../capacity/index.ts'
import { averagePrices, pricedNode } from './node-prices.ts'

describe('prices from node labels', () => {
  it('are averaged by what each node has', () => {
    const nodes = [
      node('4', { 'cpu-cost': '0.02' }),
      node('12', { 'cpu-cost': '0.06' }),
      node('8', {}),
    ]

    // (4 × 0.02 + 12 × 0.06) / 16; the unpriced node does not count
    expect(averagePrices(nodes.flatMap((one) => read(one) ?? []))).toEqual({
      cpuCost: '0.05',
    })
  })

  it('are passed over where they are no price', () => {
    expect(read(node('4', { 'cpu-cost': 'cheap' }))).toBeUndefined()
  })

  it.each([
    {
      name: 'is borrowed: its provider writes its labels',
      labels: { 'liqo.io/type': 'virtual-node' },
    },
    { name: 'is cordoned', spec: { unschedulable: true } },
    { name: 'is not ready', ready: 'False' },
    { name: 'keeps pods out', spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  ])('are passed over where a node $name', ({ labels = {}, spec = {}, ready = 'True' }) => {
    const priced = node('4', { 'cpu-cost': '0.02' })
    const other: NodeObject = {
      ...priced,
      metadata: { ...priced.metadata, labels: { ...priced.metadata.labels, ...labels } },
      spec,
      status: { ...priced.status, conditions: [{ type: 'Ready', status: ready }] },
    }

    expect(read(other)).toBeUndefined()
  })
})

function read(one: NodeObject) {
  return pricedNode(one, DEFAULT_NODE_RULES)
}

function node(cpu: string, prices: Record<string, string>): NodeObject {
  const labels = Object.fromEntries(
    Object.entries(prices).map(([name, price]) => [`bourse.dev/${name}`, price]),
  )
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels },
    status: {
      allocatable: { cpu, memory: '8Gi' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }
}
