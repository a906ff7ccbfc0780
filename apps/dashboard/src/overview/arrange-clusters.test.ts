import type { ClusterCard } from '@bourse/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { arrangeClusters, type Order } from './arrange-clusters.ts'
import { foundTags, wordsOf } from './find-clusters.ts'

const aCluster = (clusterId: string, traits: Partial<ClusterCard> = {}): ClusterCard => ({
  clusterId,
  name: clusterId,
  accepting: 'open',
  isStale: false,
  isOvercommitted: false,
  advertisedAt: 0,
  baseScore: 50,
  band: 'moderate',
  liveCount: 0,
  resources: {},
  ...traits,
})
const having = (allocatable: number) => ({
  ...{ allocatable, own: 0, used: 0, reserved: 0 },
  available: allocatable,
})
const clusters = [
  aCluster('warsaw', { baseScore: 90, unpriced: 'prices in CHF do not count' }),
  aCluster('dublin', { isStale: true, location: 'eu-west' }),
  aCluster('paris', {
    liveCount: 4,
    location: 'eu-west',
    labels: { team: 'vision', tier: 'gold' },
    resources: { 'nvidia.com/gpu': having(0) },
  }),
  aCluster('berlin', { accepting: 'cordoned', resources: { 'ephemeral-storage': having(8) } }),
  aCluster('oslo', {
    isOvercommitted: true,
    labels: { team: 'vision' },
    gpuModels: { 'NVIDIA-H100': 4 },
    resources: { 'nvidia.com/gpu': having(4) },
  }),
]
const namesOf = (found: readonly ClusterCard[]) => found.map(({ name }) => name).join(' ')

describe('clusters are arranged', () => {
  it.each<{ order: Order; arranged: string }>([
    { order: 'attention', arranged: 'oslo dublin berlin paris warsaw' },
    { order: 'name', arranged: 'berlin dublin oslo paris warsaw' },
    { order: 'score', arranged: 'warsaw berlin dublin oslo paris' },
    { order: 'live', arranged: 'paris berlin dublin oslo warsaw' },
  ])('by $order: $arranged', ({ order, arranged }) => {
    expect(namesOf(arrangeClusters(clusters, { order, words: [] }))).toBe(arranged)
  })
})

describe('a search', () => {
  it.each([
    { search: ' WEST ', found: 'dublin paris' },
    { search: 'nowhere', found: '' },
    { search: 'tier=gold', found: 'paris' },
    { search: 'vision', found: 'oslo paris' },
    { search: 'vision west', found: 'paris' },
    { search: 'gpu', found: 'oslo' },
    { search: 'nvidia.com/gpu', found: 'oslo' },
    { search: 'h100', found: 'oslo' },
    { search: 'storage', found: 'berlin' },
    { search: 'stale', found: 'dublin' },
    { search: 'cordoned', found: 'berlin' },
    { search: 'unpriced', found: 'warsaw' },
  ])('for "$search" finds: $found', ({ search, found }) => {
    const words = wordsOf(search)

    expect(namesOf(arrangeClusters(clusters, { order: 'name', words }))).toBe(found)
  })

  it('says which labels and GPU models it found', () => {
    const tagged = aCluster('x', {
      labels: { team: 'vision', tier: 'gold' },
      gpuModels: { 'NVIDIA-H100': 4 },
    })

    expect(foundTags(tagged, wordsOf('Vision h100 x'))).toEqual(['team=vision', 'NVIDIA-H100'])
    expect(foundTags(tagged, wordsOf(''))).toEqual([])
  })
})
