import { canonical } from './canonical.ts'
import { isNear } from './fraction.ts'
import { onBegin, onEnd } from './peerings.ts'
import { coarsely, priceOf, type Rank, rank } from './ranking.ts'
import {
  type CommandOf,
  candidatesOf,
  durables,
  type Grant,
  isLive,
  pricesOf,
  type Supply,
  type World,
} from './world.ts'

export const scopeOf = (one: Readonly<{ door: string; requester: string; requestId: string }>) =>
  `${one.door} ${one.requester} ${one.requestId}`

export type Reserving = Readonly<{ said: string; ranks?: readonly Rank[] }>

/**
 * `chosen`: where the ledger placed it, which counts only where scores are too close to tell.
 * `term` is part of ids.
 */
export function reserve(
  world: World,
  command: CommandOf<'reserve'>,
  { chosen, term }: Readonly<{ chosen: string | undefined; term: string | undefined }>,
): Reserving {
  const { door, requester, requestId, pinned } = command
  const scope = requestId === undefined ? undefined : scopeOf({ door, requester, requestId })
  const earlier = scope && earlierAnswer(world, scope, command.fingerprint)
  if (earlier) return { said: earlier }
  const ranks = rank(candidatesOf(world), command, world.settings.weights)
  const clusterId = command.isHeldAlready ? heldBy(world, pinned) : winnerOf(ranks, chosen)
  if (clusterId === undefined) return { said: 'refused', ranks }
  const number = ++world.lastNumber
  const id = ['rsv', 'story', ...(term ? [term] : []), number.toString(36)].join('-')
  const { now, index } = world
  const grant: Grant = {
    id,
    requester,
    scope,
    fingerprint: command.fingerprint,
    wanted: command.wanted,
    clusterId,
    phase: 'Reserved',
    createdAt: now,
    expiresAt: command.durationMs === undefined ? undefined : now + command.durationMs,
    endedAt: 0,
    reason: '',
    isDraining: false,
    decidedIndex: index,
    changedIndex: index,
    isInMemory: true,
  }
  world.grants.set(id, grant)
  world.holding.add(grant)
  if (scope !== undefined) world.requests.set(scope, grant)
  for (const { known } of durables(world)) known.add(id)
  onBegin(world, grant)
  const supply = world.clusters.get(clusterId)
  const price = supply && priceOf(command.wanted, pricesOf(world, supply))
  const node = canonical(supply && shortNode(supply.facts, command.wanted))
  world.effects.push(
    `reserved ${id} on ${clusterId} for ${requester} until ${grant.expiresAt} at ${price}, node ${node}`,
  )
  return { said: `reserved ${id} on ${clusterId}`, ranks }
}

/** contract §4: where a single node has less than is wanted, the grant says how much. */
function shortNode({ largestFit = {}, visibility }: Supply['facts'], wanted: Grant['wanted']) {
  const short = Object.entries(largestFit).filter(([name, most]) => (wanted[name] ?? 0n) > most)
  if (short.length === 0) return undefined
  const node = Object.fromEntries(short)
  return visibility === 'full' ? node : coarsely(node)
}

/** contract §4: a grant is remembered by its request id; a released id is refused for good. */
function earlierAnswer({ requests, buried }: World, scope: string, fingerprint?: string) {
  if (buried.has(scope)) return 'tombstoned'
  const grant = requests.get(scope)
  if (!grant) return undefined
  return `${grant.fingerprint === fingerprint ? 'known' : 'requestIdReused'} ${grant.id}`
}

/** Taken over from an earlier broker: its provider holds it already, fit or not. */
function heldBy({ clusters }: World, pinned: string | undefined): string | undefined {
  return pinned !== undefined && clusters.has(pinned) ? pinned : undefined
}

function winnerOf(ranks: readonly Rank[], chosen: string | undefined): string | undefined {
  const [best] = ranks
  if (!best || best.refusal) return undefined
  const other = ranks.find(({ clusterId, refusal }) => clusterId === chosen && !refusal)
  const isAsGood = other && other.score !== best.score && isNear(other.score, best.score)
  return isAsGood && isOpen(other, best) ? other.clusterId : best.clusterId
}

/** Not level: level ones have their own order. */
function isOpen(other: Rank, best: Rank): boolean {
  const { score } = other
  return score.over * best.score.under !== best.score.over * score.under
}

export function activate(world: World, { id }: CommandOf<'activate'>): string {
  const grant = inMemory(world, id)
  if (!grant) return 'missing'
  if (grant.phase === 'Active') return 'unchanged Active'
  if (!isLive(grant)) return `wrongPhase ${grant.phase}`
  grant.phase = 'Active'
  grant.changedIndex = world.index
  world.effects.push(`activated ${id}`)
  return 'changed Active'
}

/** decision 0006: the end is now plus the duration. */
export function renew(world: World, { id, durationMs, fingerprint }: CommandOf<'renew'>): string {
  const grant = inMemory(world, id)
  if (!grant) return 'missing'
  if (!isLive(grant)) return `wrongPhase ${grant.phase}`
  grant.expiresAt = world.now + durationMs
  grant.fingerprint = fingerprint ?? grant.fingerprint
  grant.changedIndex = world.index
  world.effects.push(`renewed ${id} until ${grant.expiresAt}`)
  return `changed ${grant.phase}`
}

export function release(world: World, { id, reason = 'Released' }: CommandOf<'release'>): string {
  const grant = inMemory(world, id)
  if (!grant) return 'missing'
  if (!isLive(grant)) return 'unchanged Released'
  end(world, grant, reason)
  return 'changed Released'
}

/** It also leaves a tombstone, so that a late request with that id is refused. */
export function releaseRequest(world: World, command: CommandOf<'releaseRequest'>): string {
  const scope = scopeOf(command)
  const grant = world.requests.get(scope)
  const wasBuried = world.buried.has(scope)
  world.buried.add(scope)
  if (grant && isLive(grant)) {
    end(world, grant, 'Released')
    return 'changed Released'
  }
  if (!wasBuried) world.effects.push(`tombstoned ${scope}`)
  return grant ? 'unchanged Released' : 'tombstoned'
}

/** The hold of one that was in use stays until its provider has seen the release. */
export function end(world: World, grant: Grant, reason: string): void {
  grant.isDraining = grant.phase === 'Active'
  grant.phase = 'Released'
  grant.reason = reason
  grant.endedAt = world.now
  grant.changedIndex = world.index
  if (!grant.isDraining) world.holding.delete(grant)
  onEnd(world, grant)
  const how = grant.isDraining ? ', draining' : ''
  world.effects.push(`released ${grant.id} as ${reason}${how}${byWhom(world)}`)
}

/** Named where it is neither a cluster, nor an object, nor the broker itself. */
function byWhom({ by }: World): string {
  if (!by || by.kind === 'system') return ''
  const isNamed = by.kind !== 'cluster' && by.kind !== 'object'
  return `${isNamed ? `, by ${by.kind}:${by.id}@${by.door}` : ''}${by.why ? `, ${by.why}` : ''}`
}

export function drained(world: World, grant: Grant): void {
  grant.isDraining = false
  world.holding.delete(grant)
  world.effects.push(`drained ${grant.id} on ${grant.clusterId}`)
}

function inMemory({ grants }: World, id: string): Grant | undefined {
  const grant = grants.get(id)
  return grant?.isInMemory ? grant : undefined
}
