import type { Advertisement, Quantities } from '@bourse/contract'
import type { Paint } from '../terminal/colours.ts'
import type { View } from '../terminal/output.ts'
import { relativeTime } from '../terminal/relative-time.ts'
import { type Column, renderPairs, renderTable } from '../terminal/table.ts'
import { describeQuantities, freeOf, resourceWord, roundQuantity } from './quantities.ts'

const USUAL = ['cpu', 'memory', 'nvidia.com/gpu', 'gpu']

export function clustersView(clusters: readonly Advertisement[]): View {
  return ({ paint, isWide, now }) => {
    if (clusters.length === 0) return 'No cluster has advertised yet.'
    const columns: Column<Advertisement>[] = [
      { title: 'CLUSTER', cell: ({ clusterID }) => clusterID },
      { title: 'STATE', cell: (one) => stateOf(one, paint) },
      { title: 'SCORE', align: 'right', cell: ({ status }) => status?.score ?? '' },
      { title: 'CPU FREE', align: 'right', cell: (one) => free(one, 'cpu') },
      { title: 'MEMORY FREE', align: 'right', cell: (one) => free(one, 'memory') },
      {
        title: 'GPU FREE',
        align: 'right',
        cell: (one) => free(one, 'nvidia.com/gpu') || free(one, 'gpu'),
      },
      {
        title: 'HELD',
        align: 'right',
        cell: ({ status }) => String(status?.liveReservations ?? ''),
      },
      { title: 'SEEN', cell: ({ timestamp }) => relativeTime(timestamp, now) },
    ]
    return renderTable([...columns, ...(isWide ? wideColumns : [])], clusters, paint)
  }
}

const wideColumns: readonly Column<Advertisement>[] = [
  { title: 'RESERVED', cell: ({ resources }) => describeQuantities(resources.reserved ?? {}) },
  { title: 'OTHERS FREE', cell: othersFree },
  { title: 'CPU/H', align: 'point', cell: ({ cost }) => cost?.cpuCost ?? '' },
  { title: 'GIB/H', align: 'point', cell: ({ cost }) => cost?.memoryCost ?? '' },
  { title: 'GPU/H', align: 'point', cell: ({ cost }) => cost?.gpuCost ?? '' },
  { title: 'CURRENCY', cell: ({ cost }) => cost?.currency ?? '' },
  { title: 'NAME', cell: ({ clusterName }) => clusterName },
  { title: 'ENDPOINT', cell: ({ endpointURL }) => endpointURL ?? '' },
]

export function clusterView(cluster: Advertisement): View {
  return ({ paint, now }) => {
    const { resources, status, largestFit } = cluster
    const head = renderPairs([
      ['Cluster', cluster.clusterID],
      ['Name', cluster.clusterName],
      ['State', stateOf(cluster, paint)],
      ['Score', status ? `${status.score} (${status.band})` : ''],
      ['Reservations', status ? String(status.liveReservations) : ''],
      ['Prices', pricesOf(cluster)],
      ['Endpoint', cluster.endpointURL ?? ''],
      ['Seen', relativeTime(cluster.timestamp, now)],
      ['Withdrawn', relativeTime(status?.withdrawnAt, now)],
    ])
    const amount = (from: Quantities) => (name: string) => roundQuantity(name, from[name] ?? '0')
    const columns: Column<string>[] = [
      { title: 'RESOURCE', cell: resourceWord },
      { title: 'CAPACITY', align: 'right', cell: amount(resources.capacity) },
      { title: 'ALLOCATABLE', align: 'right', cell: amount(resources.allocatable) },
      { title: 'ALLOCATED', align: 'right', cell: amount(resources.allocated) },
      { title: 'RESERVED', align: 'right', cell: amount(resources.reserved) },
      { title: 'AVAILABLE', align: 'right', cell: amount(resources.available) },
      // Ten nodes with one CPU each are not one node with ten.
      ...(largestFit
        ? [{ title: 'ON ONE NODE', align: 'right', cell: amount(largestFit) } as const]
        : []),
    ]
    const names = Object.keys(resources.allocatable)
    return `${head}\n\n${renderTable(columns, names, paint)}`
  }
}

function stateOf({ status }: Advertisement, paint: Paint): string {
  if (!status) return ''
  const words = [
    status.phase === 'Stale' ? paint('stale', 'red') : '',
    status.accepting === 'open' ? '' : paint(status.accepting, 'yellow'),
    status.overcommitted ? paint('overcommitted', 'red') : '',
    status.unpriced === undefined ? '' : paint('unpriced', 'yellow'),
  ].filter((word) => word !== '')
  return words.length > 0 ? words.join(', ') : paint('open', 'green')
}

function free({ resources }: Advertisement, name: string): string {
  return freeOf(name, resources.available ?? {}, resources.allocatable)
}

function othersFree(cluster: Advertisement): string {
  return Object.keys(cluster.resources.allocatable)
    .filter((name) => !USUAL.includes(name))
    .map((name) => `${free(cluster, name)} ${resourceWord(name)}`)
    .join(', ')
}

/** `0.048 a CPU, 0.006 a GiB (USD an hour)`; what has no price is left out. */
function pricesOf({ cost, status }: Advertisement): string {
  if (!cost) return ''
  const { cpuCost, memoryCost, gpuCost, currency } = cost
  const prices = Object.entries({ CPU: cpuCost, GiB: memoryCost, GPU: gpuCost })
    .filter(([, price]) => price !== undefined)
    .map(([unit, price]) => `${price} a ${unit}`)
  const unpriced = status?.unpriced === undefined ? '' : `; ${status.unpriced}`
  return `${prices.join(', ')} (${currency} an hour)${unpriced}`
}
