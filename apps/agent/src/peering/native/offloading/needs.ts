import {
  clustersIn,
  type NamespaceOffloading,
  type Need,
  type Needs,
  needsIn,
  type Strategy,
  type Wanted,
} from '../liqo/namespace-offloading.ts'

/** What an object must say so that this reservation is served, too. It never selects less. */
export function withNeed(
  before: NamespaceOffloading | undefined,
  reservation: string,
  need: Need,
): Wanted {
  const needs = { ...(before && needsIn(before)), [reservation]: need }
  const selected = before ? clustersIn(before) : []
  const clusters = [...selected, ...clustersOf(needs)]
  return { needs, clusters, strategy: strategyOf(needs, before) ?? need.strategy }
}

type Rest = Readonly<{
  /** Whether a reservation, other than the one that ends, is still there. */
  isThere(reservation: string): boolean
  /** Clusters where pods of this namespace still run on nodes that stay. */
  busy: readonly string[]
}>

/**
 * What is left of an object when a reservation ends; undefined: nothing needs it any more. Where
 * the user still runs pods the namespace stays: with the selection they would be deleted.
 */
export function withoutNeed(
  before: NamespaceOffloading,
  reservation: string,
  { isThere, busy }: Rest,
): Wanted | undefined {
  const others = Object.entries(needsIn(before)).filter(([id]) => id !== reservation && isThere(id))
  const needs = Object.fromEntries(others)
  const kept = clustersIn(before).filter((cluster) => busy.includes(cluster))
  const clusters = [...clustersOf(needs), ...kept]
  if (clusters.length === 0) return undefined
  const strategy = strategyOf(needs, before) ?? before.spec?.podOffloadingStrategy
  return { needs, clusters, strategy: strategy ?? 'LocalAndRemote' }
}

/**
 * What is left of an object when a peering ends; undefined: nothing needs it any more. Needs of
 * reservations that never ended, since their finalizer was removed by hand, go with it.
 */
export function withoutCluster(
  before: NamespaceOffloading,
  cluster: string,
  busy: readonly string[],
): Wanted | undefined {
  const others = Object.entries(needsIn(before)).filter(([, need]) => need.cluster !== cluster)
  const needs = Object.fromEntries(others)
  const isKept = (one: string) => one !== cluster || busy.includes(one)
  const clusters = clustersIn(before).filter(isKept)
  if (clusters.length === 0) return undefined
  const strategy = strategyOf(needs, before) ?? before.spec?.podOffloadingStrategy
  return { needs, clusters, strategy: strategy ?? 'LocalAndRemote' }
}

/** A namespace has one strategy: the first to ask for one decides, as long as it is there. */
function strategyOf(needs: Needs, before: NamespaceOffloading | undefined): Strategy | undefined {
  const asked = Object.values(needs).map(({ strategy }) => strategy)
  return asked.find((strategy) => strategy === before?.spec?.podOffloadingStrategy) ?? asked[0]
}

function clustersOf(needs: Needs): string[] {
  return Object.values(needs).map(({ cluster }) => cluster)
}
