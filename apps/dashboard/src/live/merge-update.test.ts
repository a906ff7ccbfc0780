import type {
  ClusterCard,
  DecisionLine,
  Overview,
  ReservationRow,
} from '@bourse/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { mergeUpdate } from './merge-update.ts'

const aCluster = (clusterId: string, advertisedAt = 0): ClusterCard => ({
  clusterId,
  name: clusterId,
  accepting: 'open',
  isStale: false,
  isOvercommitted: false,
  advertisedAt,
  baseScore: 50,
  band: 'moderate',
  liveCount: 0,
  resources: {},
})
const aRow = (id: string, createdAt: number): ReservationRow => ({
  id,
  requester: 'rome',
  providers: ['paris'],
  wanted: { cpu: 1_000 },
  phase: 'Reserved',
  priority: 0,
  createdAt,
  startsAt: createdAt,
})
const aRefusal = (id: string): DecisionLine => ({
  kind: 'refused',
  id,
  at: 0,
  requester: 'rome',
  wanted: {},
  refused: {},
})
const overview: Overview = {
  ledgerId: 'l',
  index: 1,
  now: 0,
  audit: { verdict: 'unknown', detail: '' },
  totals: {},
  clusters: [aCluster('berlin'), aCluster('paris')],
  clusterCount: 2,
  reservations: [aRow('b', 2), aRow('a', 1)],
  liveCount: 2,
  decisions: [aRefusal('x')],
}
const beat = { index: 2, now: 5, liveCount: 2 }

describe('mergeUpdate', () => {
  it('keeps what a frame does not mention, down to the same objects', () => {
    const merged = mergeUpdate(overview, beat)

    expect(merged).toEqual({ ...overview, index: 2, now: 5 })
    expect(merged.clusters).toBe(overview.clusters)
    expect(merged.reservations).toBe(overview.reservations)
  })

  it('replaces a changed cluster, adds a new one and leaves the others alone', () => {
    const changed = { ...aCluster('paris'), isStale: true }

    const merged = mergeUpdate(overview, { ...beat, clusters: [changed, aCluster('oslo')] })

    expect(merged.clusters.map(({ clusterId }) => clusterId)).toEqual(['berlin', 'paris', 'oslo'])
    expect(merged.clusters[0]).toBe(overview.clusters[0])
    expect(merged.clusters[1]).toBe(changed)
  })

  it('a heartbeat moves only the time a cluster was heard', () => {
    const merged = mergeUpdate(overview, { ...beat, heard: { paris: 7, unknown: 7 } })

    expect(merged.clusters).toEqual([aCluster('berlin'), aCluster('paris', 7)])
  })

  it('shows new reservations first and drops the ended', () => {
    const merged = mergeUpdate(overview, { ...beat, reservations: [aRow('c', 3)], ended: ['b'] })

    expect(merged.reservations.map(({ id }) => id)).toEqual(['c', 'a'])
  })

  it('shows a decision once, though a frame repeats what the overview told', () => {
    const merged = mergeUpdate(overview, { ...beat, decisions: [aRefusal('y'), aRefusal('x')] })

    expect(merged.decisions.map(({ id }) => id)).toEqual(['y', 'x'])
  })

  it('keeps the newest 500 reservations and 100 decisions', () => {
    const many = Array.from({ length: 600 }, (_, n) => n + 10)

    const merged = mergeUpdate(overview, {
      ...beat,
      reservations: many.map((n) => aRow(`r${n}`, n)),
      decisions: many.map((n) => aRefusal(`d${n}`)),
    })

    expect(merged.reservations).toHaveLength(500)
    expect(merged.reservations[0]?.id).toBe('r609')
    expect(merged.decisions).toHaveLength(100)
  })
})
