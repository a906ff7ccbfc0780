import type { ClusterCard, TotalLine } from '@bourse/contract/dashboard'
import type { LedgerView } from '@bourse/domain/ledger'
import { toClusterCard } from './figures.ts'

const HEARD_MAX = 1_000

/** The cards as last drawn: only what was touched since is drawn again. */
export function createClusterCards() {
  const cards = new Map<string, ClusterCard>()
  const touched = new Set<string>()
  let isDrawn = false
  let unheard: string[] = []

  function redraw(clusterId: string, view: LedgerView): void {
    const cluster = view.cluster(clusterId)
    const standing = view.standing(clusterId)
    if (cluster && standing) cards.set(clusterId, toClusterCard(cluster, standing, view))
    else cards.delete(clusterId)
  }

  /** A thousand at a time, in turn: a frame must not take long. */
  function nextToHear(): (readonly [string, ClusterCard])[] {
    if (unheard.length === 0) unheard = [...cards.keys()]
    return unheard.splice(0, HEARD_MAX).flatMap((clusterId) => {
      const card = cards.get(clusterId)
      return card ? [[clusterId, card] as const] : []
    })
  }

  return {
    touch: (clusterId: string) => void touched.add(clusterId),
    get: (clusterId: string) => cards.get(clusterId),
    count: () => cards.size,

    /** Clusters that need attention first, then by id. */
    all: () => [...cards.values()].sort(byAttention),

    refresh(view: LedgerView): void {
      if (!isDrawn) for (const { clusterId } of view.clusters()) touched.add(clusterId)
      isDrawn = true
      for (const clusterId of touched) redraw(clusterId, view)
      touched.clear()
    },

    /** Heartbeats make no event: this finds the clusters that were heard since the last draw. */
    hear(view: LedgerView): Record<string, number> {
      const heard: Record<string, number> = {}
      for (const [clusterId, card] of nextToHear()) {
        const standing = view.standing(clusterId)
        // Other rates make no event either.
        if (standing?.unpriced !== card.unpriced) touched.add(clusterId)
        const advertisedAt = standing?.advertisedAt ?? card.advertisedAt
        if (advertisedAt === card.advertisedAt) continue
        heard[clusterId] = advertisedAt
        cards.set(clusterId, { ...card, advertisedAt })
      }
      return heard
    },

    totals: () => totalsOf(cards.values()),
  }
}

type Sums = { -readonly [K in keyof TotalLine]: TotalLine[K] }
const NOTHING = { allocatable: 0, own: 0, used: 0, reserved: 0, available: 0, outOfReach: 0 }

function totalsOf(cards: Iterable<ClusterCard>): Readonly<Record<string, TotalLine>> {
  const totals: Record<string, Sums> = {}
  for (const card of cards) {
    const takesNew = card.accepting === 'open' && !card.isStale
    for (const [resource, line] of Object.entries(card.resources)) {
      totals[resource] ??= { ...NOTHING }
      const sums = totals[resource]
      sums.allocatable += line.allocatable
      sums.own += line.own
      sums.used += line.used
      sums.reserved += line.reserved
      if (takesNew) sums.available += line.available
      else sums.outOfReach += line.available
    }
  }
  return totals
}

const needsAttention = ({ isStale, isOvercommitted, accepting }: ClusterCard) =>
  isStale || isOvercommitted || accepting !== 'open'

function byAttention(a: ClusterCard, b: ClusterCard): number {
  const difference = Number(needsAttention(b)) - Number(needsAttention(a))
  return difference || (a.clusterId < b.clusterId ? -1 : 1)
}
