import type { ClusterAdvertisementStatus, Condition } from '@bourse/contract/kinds'
import type { Cluster, Standing } from '@bourse/domain/ledger'
import { formatScore } from '@bourse/domain/placement'
import { carriedOver } from '@bourse/kube'
import { isoOf } from '../../presentation/moments.ts'
import { printedSupply } from '../../presentation/printed-supply.ts'
import { RATE_LIMITED } from './kinds.ts'

type Showing = Readonly<{
  ledgerId: string
  index: number
  generation: number
  before: ClusterAdvertisementStatus
  now: number
}>

/** How a cluster stands, as its object shows it. */
export function clusterStatus(
  cluster: Cluster,
  standing: Standing,
  showing: Showing,
): ClusterAdvertisementStatus {
  const { reserved, available } = printedSupply(cluster.advertisement, standing)
  return {
    phase: cluster.isStale ? 'Stale' : 'Active',
    active: !cluster.isStale,
    accepting: cluster.accepting,
    score: formatScore(standing.baseScore),
    reserved,
    available,
    liveReservations: standing.liveCount,
    message: verdictOf(cluster, standing).message,
    lastSeenAt: isoOf(standing.advertisedAt),
    conditions: conditionsOf(cluster, standing, showing),
    observedGeneration: showing.generation,
    ledgerID: showing.ledgerId,
    ledgerIndex: showing.index,
  }
}

/**
 * What makes a new status worth writing: of what the broker says, all that is not moved by mere
 * heartbeats and by what others do.
 */
export function lastingPart(status: ClusterAdvertisementStatus): ClusterAdvertisementStatus {
  const { lastSeenAt: _seen, ledgerIndex: _index, ledgerProof: _proof, ...lasting } = status
  const { conditions = [], ...rest } = lasting
  return { ...rest, conditions: conditions.filter(({ type }) => OURS.has(type)).sort(byType) }
}

const OURS: ReadonlySet<string> = new Set([
  'Ready',
  'Stale',
  'Overcommitted',
  'Unpriced',
  'Stalled',
])

function byType(one: Condition, other: Condition): number {
  return one.type < other.type ? -1 : 1
}

type Verdict = Readonly<{ isReady: boolean; reason: string; message: string }>

function verdictOf(cluster: Cluster, standing: Standing): Verdict {
  const { isOvercommitted, liveCount, unpriced } = standing
  const holds = liveCount === 1 ? 'holds 1 reservation' : `holds ${liveCount} reservations`
  const no = (reason: string, why: string) => ({
    isReady: false,
    reason,
    message: `${why}: gets nothing new; ${holds}`,
  })
  if (cluster.accepting === 'withdrawn') return no('Withdrawn', 'Withdrawn')
  if (cluster.accepting === 'cordoned') return no('Cordoned', 'Cordoned')
  if (cluster.isStale) return no('Stale', 'Silent for too long')
  const more = isOvercommitted ? ['more is held than it has'] : []
  const message = ['Advertised', holds, ...more, ...(unpriced ? [unpriced] : [])].join('; ')
  return { isReady: true, reason: 'Advertised', message }
}

function conditionsOf(cluster: Cluster, standing: Standing, showing: Showing): Condition[] {
  const { isReady, reason, message } = verdictOf(cluster, standing)
  const { isOvercommitted, unpriced } = standing
  const says = [
    { type: 'Ready', holds: isReady, reason, message },
    { type: 'Stale', holds: cluster.isStale, reason: cluster.isStale ? 'Silent' : 'Heard' },
    {
      type: 'Overcommitted',
      holds: isOvercommitted,
      reason: isOvercommitted ? 'SupplyShrank' : 'Covered',
    },
    // Only where it holds: most clusters have no price, or one that counts.
    ...(unpriced ? [{ type: 'Unpriced', holds: true, reason: 'NoRate', message: unpriced }] : []),
  ]
  return says.map(({ holds, ...rest }) => {
    const status: Condition['status'] = holds ? 'True' : 'False'
    const said = { ...rest, status, observedGeneration: showing.generation }
    return carriedOver(said, showing.before.conditions, isoOf(showing.now))
  })
}

/** For an object that is read later. What it said before still counts, and this is not read yet. */
export function delayedStatus(
  delayed: Showing & Readonly<{ message: string }>,
): ClusterAdvertisementStatus {
  const { message, ledgerId, index, generation, before, now } = delayed
  const { conditions: told = [], ...rest } = before
  const said = { reason: RATE_LIMITED, message, observedGeneration: generation }
  const ready = carriedOver({ type: 'Ready', status: 'False', ...said }, told, isoOf(now))
  const others = told.filter(({ type }) => OURS.has(type) && type !== 'Ready')
  return {
    ...rest,
    message,
    conditions: [ready, ...others],
    ledgerID: ledgerId,
    ledgerIndex: index,
  }
}

type Rejected = Showing & Readonly<{ reason: string; message: string }>

/** For an object that is invalid, or whose cluster is advertised in another way. */
export function rejectedStatus(rejected: Rejected): ClusterAdvertisementStatus {
  const { reason, message, ledgerId, index, generation, before, now } = rejected
  const said = { reason, message, observedGeneration: generation }
  const claims: Condition[] = [
    { type: 'Ready', status: 'False', ...said },
    // A user must change or delete something: a tool that waits, as kstatus does, would wait for
    // ever.
    { type: 'Stalled', status: 'True', ...said },
  ]
  return {
    active: false,
    message,
    conditions: claims.map((claim) => carriedOver(claim, before.conditions, isoOf(now))),
    observedGeneration: generation,
    ledgerID: ledgerId,
    ledgerIndex: index,
  }
}
