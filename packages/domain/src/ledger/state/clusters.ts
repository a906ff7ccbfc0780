import { type Cluster, isNewPublication } from '../../supply/cluster.ts'
import type { createProviders } from '../../supply/providers.ts'
import type { createDeadlines } from '../../time/deadlines.ts'
import type { EventOf } from './event.ts'

type Parts = Readonly<{
  providers: ReturnType<typeof createProviders>
  deadlines: Pick<ReturnType<typeof createDeadlines>, 'add'>
  limits: Readonly<{ staleAfterMs: number }>
  reservations: Parameters<ReturnType<typeof createProviders>['put']>[1]
}>

/** What events make of the clusters. Every cluster that is not stale has a `stale` deadline. */
export function createClusters({ providers, deadlines, limits, reservations }: Parts) {
  return { advertise, put, setStale, setAccepting, watchWithdrawal, hear }

  function advertise({ at, clusterId, door, advertisement }: EventOf<'advertised'>): void {
    const provider = providers.get(clusterId)
    const known = provider?.cluster
    const isNew = isNewPublication(advertisement, known?.advertisement)
    const isStale = !isNew && known?.isStale === true
    const facts = { door, advertisement, isStale, changedAt: at }
    put(
      known ? { ...known, ...facts } : { clusterId, accepting: 'open', ...facts },
      isNew ? at : (provider?.advertisedAt ?? at),
    )
  }

  function put(cluster: Cluster, advertisedAt: number): void {
    const { clusterId, withdrawnAt } = cluster
    const known = providers.get(clusterId)
    const before = known?.cluster
    const heardBefore = known?.advertisedAt ?? 0
    const provider = providers.put(cluster, reservations)
    provider.advertisedAt = Math.max(heardBefore, advertisedAt)
    if (!before || before.isStale)
      deadlines.add(provider.advertisedAt + limits.staleAfterMs, { kind: 'stale', of: clusterId })
    if (withdrawnAt !== undefined && withdrawnAt !== before?.withdrawnAt)
      deadlines.add(withdrawnAt, { kind: 'withdrawal', of: clusterId })
  }

  function setStale(clusterId: string, isStale: boolean): void {
    const provider = providers.get(clusterId)
    if (provider) put({ ...provider.cluster, isStale }, provider.advertisedAt)
  }

  function setAccepting({ clusterId, accepting, withdrawnAt }: EventOf<'acceptingChanged'>): void {
    const provider = providers.get(clusterId)
    if (!provider) return
    const { withdrawnAt: _before, ...rest } = provider.cluster
    const ends = withdrawnAt === undefined ? {} : { withdrawnAt }
    put({ ...rest, accepting, ...ends }, provider.advertisedAt)
  }

  /** Of one that was taken over: all others were there when the withdrawal ended what it held. */
  function watchWithdrawal(clusterId: string): void {
    const withdrawnAt = providers.get(clusterId)?.cluster.withdrawnAt
    if (withdrawnAt !== undefined) deadlines.add(withdrawnAt, { kind: 'withdrawal', of: clusterId })
  }

  /** A heartbeat: moves the time without an event. */
  function hear(clusterId: string, at: number): void {
    const provider = providers.get(clusterId)
    if (provider && at > provider.advertisedAt) provider.advertisedAt = at
  }
}
