import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { oneNode } from './one-node-filter.ts'

describe('the filter of clusters without a node that could take a request', () => {
  const wanted = { cpu: 8_000n, memory: 4n }

  it.each([
    {
      name: 'takes a node with just as much',
      nodeFit: { cpu: 8_000n, memory: 4n },
      refused: false,
    },
    { name: 'refuses a unit less', nodeFit: { cpu: 8_000n, memory: 3n }, refused: true },
    { name: 'refuses what was granted since', nodeFit: { cpu: -1n, memory: 4n }, refused: true },
    { name: 'takes what a cluster does not say', nodeFit: { cpu: 9_000n }, refused: false },
    { name: 'takes a cluster that says nothing', nodeFit: undefined, refused: false },
  ])('$name', ({ nodeFit, refused }) => {
    const clusters = { paris: { nodeFit }, berlin: {} }

    expect(refusedBy(oneNode, clusters, { wanted, oneNode: true })).toEqual(
      refused ? { paris: 'NoNodeFits' } : {},
    )
    expect(refusedBy(oneNode, clusters, { wanted })).toEqual({})
  })
})
