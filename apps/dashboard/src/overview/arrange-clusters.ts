import type { ClusterCard } from '@bourse/contract/dashboard'
import { isFound } from './find-clusters.ts'

export type Order = 'attention' | 'name' | 'score' | 'live'

export const ORDERS: readonly Readonly<{ id: Order; label: string }>[] = [
  { id: 'attention', label: 'Needs attention first' },
  { id: 'name', label: 'By name' },
  { id: 'score', label: 'Best base score first' },
  { id: 'live', label: 'Most reservations first' },
]

type Wish = Readonly<{ words: readonly string[]; order: Order }>

export function arrangeClusters(
  clusters: readonly ClusterCard[],
  { words, order }: Wish,
): readonly ClusterCard[] {
  const found = clusters.filter((cluster) => isFound(cluster, words))
  // Names decide ties, so that rows stay where they are while numbers move.
  return found.sort((a, b) => COMPARE[order](a, b) || byName(a, b))
}

const byName = (a: ClusterCard, b: ClusterCard) =>
  a.name.localeCompare(b.name) || a.clusterId.localeCompare(b.clusterId)

const COMPARE: Readonly<Record<Order, (a: ClusterCard, b: ClusterCard) => number>> = {
  attention: (a, b) => concern(b) - concern(a),
  name: byName,
  score: (a, b) => b.baseScore - a.baseScore,
  live: (a, b) => b.liveCount - a.liveCount,
}

function concern({ isOvercommitted, isStale, accepting }: ClusterCard): number {
  if (isOvercommitted) return 3
  if (isStale) return 2
  return accepting === 'open' ? 0 : 1
}
