import type {
  ClusterCard,
  DecisionLine,
  Overview,
  OverviewUpdate,
  ReservationRow,
} from '@bourse/contract/dashboard'

const RESERVATIONS_MAX = 500
const DECISIONS_MAX = 100

/** The overview after an update. What an update does not mention stays the same object. */
export function mergeUpdate(overview: Overview, update: OverviewUpdate): Overview {
  const { index, now, liveCount } = update
  return {
    ...overview,
    index,
    now,
    liveCount,
    audit: update.audit ?? overview.audit,
    totals: update.totals ?? overview.totals,
    clusterCount: update.clusterCount ?? overview.clusterCount,
    clusters: mergeClusters(overview.clusters, update),
    reservations: mergeReservations(overview.reservations, update),
    decisions: mergeDecisions(overview.decisions, update.decisions ?? []),
  }
}

function mergeClusters(
  clusters: readonly ClusterCard[],
  { clusters: changed = [], heard = {} }: OverviewUpdate,
): readonly ClusterCard[] {
  if (changed.length === 0 && Object.keys(heard).length === 0) return clusters
  const byId = new Map(clusters.map((cluster) => [cluster.clusterId, cluster]))
  for (const cluster of changed) byId.set(cluster.clusterId, cluster)
  for (const [clusterId, advertisedAt] of Object.entries(heard)) {
    const cluster = byId.get(clusterId)
    if (cluster) byId.set(clusterId, { ...cluster, advertisedAt })
  }
  return [...byId.values()]
}

function mergeReservations(
  rows: readonly ReservationRow[],
  { reservations: changed = [], ended = [] }: OverviewUpdate,
): readonly ReservationRow[] {
  if (changed.length === 0 && ended.length === 0) return rows
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const row of changed) byId.set(row.id, row)
  for (const id of ended) byId.delete(id)
  return [...byId.values()].sort((a, b) => b.createdAt - a.createdAt).slice(0, RESERVATIONS_MAX)
}

/** An update may repeat decisions of the first overview. */
function mergeDecisions(
  lines: readonly DecisionLine[],
  fresh: readonly DecisionLine[],
): readonly DecisionLine[] {
  if (fresh.length === 0) return lines
  const known = new Set(lines.map(decisionKey))
  const unknown = fresh.filter((line) => !known.has(decisionKey(line)))
  return [...unknown, ...lines].slice(0, DECISIONS_MAX)
}

export const decisionKey = ({ kind, id }: DecisionLine) => `${kind} ${id}`
