import type { Ledger, Reservation } from '@bourse/domain/ledger'
import { canonical } from './canonical.ts'
import { nextDue } from './due.ts'
import { scopeOf } from './grants.ts'
import { liveOn } from './supplies.ts'
import { freeOf, type Grant, heldOn, isLive, reservedOf, type Supply, type World } from './world.ts'

/** The first thing in which the ledger's memory differs from the model's. */
export function difference(ledger: Ledger, world: World): string | undefined {
  return inClusters(ledger, world) ?? inReservations(ledger, world) ?? inRest(ledger, world)
}

function inClusters(ledger: Ledger, world: World): string | undefined {
  const ids = [...ledger.clusters()].map(({ clusterId }) => clusterId)
  if (ids.length !== world.clusters.size) return `there are ${ids.length} clusters`
  for (const supply of world.clusters.values()) {
    const found = inCluster(ledger, world, supply)
    if (found) return `${supply.clusterId}: ${found}`
  }
  return undefined
}

function inCluster(ledger: Ledger, world: World, supply: Supply): string | undefined {
  const { clusterId, accepting, isStale, door, withdrawnAt, heardAt } = supply
  const cluster = ledger.cluster(clusterId)
  const standing = ledger.standing(clusterId)
  if (!cluster || !standing) return 'is not there'
  const free = freeOf(world, supply)
  return (
    unequal('accepting', cluster.accepting, accepting) ??
    unequal('isStale', cluster.isStale, isStale) ??
    unequal('door', cluster.door, door) ??
    unequal('withdrawnAt', cluster.withdrawnAt, withdrawnAt) ??
    unequal('available', withoutZeros(standing.available), withoutZeros(free)) ??
    unequal(
      'reserved',
      withoutZeros(standing.reserved),
      withoutZeros(reservedOf(world, clusterId)),
    ) ??
    unequal('live', standing.liveCount, liveOn(world, clusterId).length) ??
    unequal('heard', standing.advertisedAt, heardAt) ??
    unequal('overcommitted', standing.isOvercommitted, isOvercommitted(world, supply, free)) ??
    unequal('base score', standing.baseScore.toFixed(4), baseScore(supply, free).toFixed(4)) ??
    unequal('held', idsOf(ledger.heldOn(clusterId)), idsOf(liveOn(world, clusterId))) ??
    unequal('draining', idsOf(ledger.drainingOn(clusterId)), idsOf(drainingOn(world, clusterId)))
  )
}

const drainingOn = (world: World, clusterId: string) =>
  heldOn(world, clusterId).filter((grant) => grant.isDraining)

/** contract §2: supply shrank below what is held, of which part may be in use. */
function isOvercommitted(world: World, { clusterId, facts }: Supply, free: Amounts): boolean {
  const held = heldOn(world, clusterId)
  const reserved = reservedOf(world, clusterId)
  return Object.keys(free).some((name) => {
    const isUsed = held.some(({ id }) => (facts.used[id]?.[name] ?? 0n) > 0n)
    return (free[name] ?? 0n) < 0n && ((reserved[name] ?? 0n) > 0n || isUsed)
  })
}

/** contract §3: 50·availCPU/allocCPU + 50·availMem/allocMem, clamped. */
function baseScore({ facts }: Supply, free: Amounts): number {
  const halves = ['cpu', 'memory'].map((name) => {
    const all = facts.allocatable[name] ?? 0n
    const rest = free[name] ?? 0n
    return all > 0n && rest > 0n ? (50 * Number(rest)) / Number(all) : 0
  })
  return Math.min(
    100,
    halves.reduce((sum, half) => sum + half),
  )
}

function inReservations(ledger: Ledger, world: World): string | undefined {
  const live = [...world.holding].filter(isLive)
  if (ledger.liveCount !== live.length) return `${ledger.liveCount} are live, not ${live.length}`
  for (const grant of live) {
    const found = inReservation(ledger.reservation(grant.id), grant)
    if (found) return `${grant.id}: ${found}`
  }
  const ended = [...world.grants.values()].filter((one) => one.isInMemory && !isLive(one))
  const requesters = new Set(live.map(({ requester }) => requester))
  for (const requester of requesters) {
    const own = live.filter((one) => one.requester === requester)
    const found = unequal('requested', idsOf(ledger.requestedBy(requester)), idsOf(own))
    if (found) return `${requester}: ${found}`
  }
  return (
    unequal('live', idsOf(ledger.reservations()), idsOf(live)) ??
    unequal('ended in memory', idsOf(ledger.ended()), idsOf(ended))
  )
}

function inReservation(told: Reservation | undefined, grant: Grant): string | undefined {
  if (!told) return 'is not there'
  return (
    unequal('phase', told.phase, grant.phase) ??
    unequal('createdAt', told.createdAt, grant.createdAt) ??
    unequal('requester', told.requester, grant.requester) ??
    unequal('request id', scopeIn(told), grant.scope) ??
    unequal('expiresAt', told.expiresAt, grant.expiresAt) ??
    unequal('wanted', told.wanted, grant.wanted) ??
    unequal('legs', told.legs, [{ clusterId: grant.clusterId, resources: grant.wanted }]) ??
    unequal('decidedIndex', told.decidedIndex, grant.decidedIndex) ??
    unequal('changedIndex', told.changedIndex, grant.changedIndex)
  )
}

function scopeIn({ door, requester, requestId }: Reservation): string | undefined {
  return requestId === undefined ? undefined : scopeOf({ door, requester, requestId })
}

function inRest(ledger: Ledger, world: World): string | undefined {
  const sessions = [...world.sessions.values()]
  const found = unequal('peerings', byId(ledger.peerings()), byId(sessions))
  if (found) return found
  for (const { requester } of sessions) {
    const own = sessions.filter((one) => one.requester === requester || one.provider === requester)
    const other = unequal('peerings', byId(ledger.peeringsOf(requester)), byId(own))
    if (other) return `${requester}: ${other}`
  }
  // Nothing wakes the ledger later than this.
  const due = nextDue(world)
  const next = ledger.nextDeadline() ?? Number.POSITIVE_INFINITY
  return next > due
    ? `the next deadline is ${next}, although something is due at ${due}`
    : undefined
}

type Amounts = Readonly<Record<string, bigint>>

function withoutZeros(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n))
}

function unequal(what: string, told: unknown, expected: unknown): string | undefined {
  if (told === expected) return undefined
  const [left, right] = [canonical(told), canonical(expected)]
  return left === right ? undefined : `${what} is ${left}, not ${right}`
}

function idsOf(all: Iterable<Readonly<{ id: string }>>): string {
  return Array.from(all, ({ id }) => id)
    .sort()
    .join()
}

function byId<T extends Readonly<{ id: string }>>(all: Iterable<T>): T[] {
  return [...all].sort((left, right) => (left.id < right.id ? -1 : 1))
}
