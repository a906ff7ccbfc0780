import type { LedgerView } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import type { Gauge } from 'prom-client'
import { type LedgerWriter, WriterUnavailable } from '../ledger/writer/ledger-writer.ts'
import type { Figures } from './figures.ts'

type Fill = (view: LedgerView, shown: Gauge) => void

/** What the ledger holds, read from committed state at the moment of the scrape. */
export function showLedger({ gauges }: Figures, writer: Pick<LedgerWriter, 'read'>): void {
  const committed = (fill: Fill) => (shown: Gauge) =>
    writer.read((view) => fill(view, shown)).catch(keepLast)
  gauges(
    { name: 'broker_live_reservations', help: 'Reservations that hold capacity now.' },
    committed((view, shown) => shown.set(view.liveCount)),
  )
  gauges(
    {
      name: 'broker_peerings',
      help: 'Peering sessions by state; a stuck one is counted twice.',
      labelNames: ['state'],
    },
    committed(countPeerings),
  )
  gauges(
    {
      name: 'broker_clusters',
      help: 'Clusters by state; one that is overcommitted or unpriced is counted again.',
      labelNames: ['state'],
    },
    committed(countClusters),
  )
  gauges(
    {
      name: 'broker_capacity',
      help: 'Capacity over all clusters, cpu in cores, by resource and kind.',
      labelNames: ['resource', 'kind'],
    },
    committed(sumCapacity),
  )
}

/** Reads fail while the journal is in trouble, which is when metrics must still be scraped. */
function keepLast(thrown: unknown): void {
  if (!(thrown instanceof WriterUnavailable)) throw thrown
}

function countPeerings(view: LedgerView, shown: Gauge): void {
  for (const state of ['open', 'established', 'closing', 'stuck']) shown.set({ state }, 0)
  for (const { state, trouble } of view.peerings()) {
    shown.inc({ state })
    if (trouble.requester || trouble.provider) shown.inc({ state: 'stuck' })
  }
}

function countClusters(view: LedgerView, shown: Gauge): void {
  for (const state of ['open', 'cordoned', 'withdrawn', 'stale', 'overcommitted', 'unpriced'])
    shown.set({ state }, 0)
  for (const { clusterId, isStale, accepting } of view.clusters()) {
    shown.inc({ state: isStale ? 'stale' : accepting })
    const standing = view.standing(clusterId)
    if (standing?.isOvercommitted) shown.inc({ state: 'overcommitted' })
    if (standing?.unpriced !== undefined) shown.inc({ state: 'unpriced' })
  }
}

/** Clusters choose the names of their resources, and each name is a series for good. */
const RESOURCES_SHOWN_MAX = 32

function sumCapacity(view: LedgerView, capacity: Gauge): void {
  const shown = new Set(['cpu', 'memory', 'nvidia.com/gpu', 'ephemeral-storage', 'pods'])
  capacity.reset()
  for (const { clusterId, advertisement } of view.clusters()) {
    const standing = view.standing(clusterId)
    addUp('allocatable', advertisement.allocatable)
    addUp('allocated', advertisement.allocated)
    addUp('reserved', standing?.reserved ?? {})
    addUp('available', standing?.available ?? {})
  }

  function addUp(kind: string, resources: Resources): void {
    for (const resource in resources) {
      if (!shown.has(resource) && shown.size >= RESOURCES_SHOWN_MAX) continue
      shown.add(resource)
      const amount = Math.max(0, Number(resources[resource] ?? 0n))
      capacity.inc({ resource, kind }, resource === 'cpu' ? amount / 1_000 : amount)
    }
  }
}
