import type { ClusterCard } from '@bourse/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { arrangeClusters, type Order } from './arrange-clusters.ts'

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
const clusters = [
  aCluster('warsaw', { baseScore: 90 }),
  aCluster('dublin', { isStale: true, location: 'eu-west' }),
  aCluster('paris', { liveCount: 4, location: 'eu-west' }),
  aCluster('berlin', { accepting: 'cordoned' }),
  aCluster('oslo', { isOvercommitted: true }),
]

describe('arrangeClusters', () => {
  it.each<{ order: Order; search: string; found: string[] }>([
    { order: 'attention', search: '', found: ['oslo', 'dublin', 'berlin', 'paris', 'warsaw'] },
    { order: 'name', search: '', found: ['berlin', 'dublin', 'oslo', 'paris', 'warsaw'] },
    { order: 'score', search: '', found: ['warsaw', 'berlin', 'dublin', 'oslo', 'paris'] },
    { order: 'live', search: '', found: ['paris', 'berlin', 'dublin', 'oslo', 'warsaw'] },
    { order: 'name', search: ' WEST ', found: ['dublin', 'paris'] },
    { order: 'name', search: 'nowhere', found: [] },
  ])('by $order, looking for "$search"', ({ order, search, found }) => {
    const arranged = arrangeClusters(clusters, { order, search })

    expect(arranged.map(({ clusterId }) => clusterId)).toEqual(found)
  })
})
