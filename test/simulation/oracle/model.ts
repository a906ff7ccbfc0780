import type { Command } from '@bourse/domain/ledger'
import { nextDue, runDue } from './due.ts'
import { activate, release, releaseRequest, renew, reserve } from './grants.ts'
import { closePeering, openPeering, postPeering, reportTrouble } from './peerings.ts'
import type { Rank } from './ranking.ts'
import { advertise, decommission, setAccepting } from './supplies.ts'
import { type Durable, durables, noDurable, type Settings, type World } from './world.ts'

/** What the ledger did: it decides only where the rules leave a choice. */
export type Hint = Readonly<{ chosen: string | undefined; reasons: ReadonlyMap<string, string> }>
export type Expected = Readonly<{
  said: string
  effects: readonly string[]
  ranks?: readonly Rank[]
}>
type Moment = Readonly<{ now: number; index: number; term: string | undefined }>
export type Model = ReturnType<typeof createModel>

/**
 * The exchange as its contract tells it: who gets what, who is refused and why, and when each thing
 * ends. No column, cache or index; every sum is taken anew, every amount is exact.
 */
export function createModel(settings: Settings) {
  const world: World = {
    settings,
    rates: new Map(),
    now: 0,
    index: 0,
    by: undefined,
    clusters: new Map(),
    grants: new Map(),
    holding: new Set(),
    requests: new Map(),
    buried: new Set(),
    heard: new Map(),
    sessions: new Map(),
    lastNumber: 0,
    origin: noDurable(),
    saved: undefined,
    effects: [],
  }
  return {
    world,
    step,
    forget,
    prune,
    save,
    compact,
    restart,
    excuse,
    nextDue: () => nextDue(world),
  }

  function step(command: Command, { now, index, term }: Moment, hint: Hint): Expected {
    world.effects = []
    world.now = now
    world.index = index
    world.by = undefined
    runDue(world, hint.reasons)
    world.by = command.by
    const said = decide(command, { chosen: hint.chosen, term })
    return { ...(typeof said === 'string' ? { said } : said), effects: world.effects }
  }

  function decide(command: Command, how: Parameters<typeof reserve>[2]) {
    switch (command.kind) {
      case 'advertise':
        return advertise(world, command)
      case 'reserve':
        return reserve(world, command, how)
      case 'activate':
        return activate(world, command)
      case 'renew':
        return renew(world, command)
      case 'release':
        return release(world, command)
      case 'releaseRequest':
        return releaseRequest(world, command)
      case 'cordon':
      case 'uncordon':
      case 'withdraw':
        return setAccepting(world, command)
      case 'decommission':
        return decommission(world, command)
      case 'openPeering':
        return openPeering(world, command)
      case 'postPeering':
        return postPeering(world, command)
      case 'reportPeeringTrouble':
        return reportTrouble(world, command)
      case 'closePeering':
        return closePeering(world, command)
      case 'hear':
        world.heard.set(command.requester, world.now)
        return 'done'
      case 'noteHeard':
        noteHeard()
        return 'done'
      case 'tick':
        return 'done'
    }
  }

  /** Heartbeats are journaled: a restart knows them. */
  function noteHeard(): void {
    for (const { clusterId, heardAt } of world.clusters.values())
      if ((world.origin.clusters.get(clusterId) ?? 0) < heardAt)
        world.effects.push(`heard ${clusterId} at ${heardAt}`)
    for (const [requester, at] of world.heard)
      if ((world.origin.requesters.get(requester) ?? 0) < at)
        world.effects.push(`heard ${requester} at ${at}`)
    for (const durable of durables(world)) {
      for (const { clusterId, heardAt } of world.clusters.values())
        hearLater(durable.clusters, clusterId, heardAt)
      for (const [requester, at] of world.heard) hearLater(durable.requesters, requester, at)
    }
  }

  /** A note never takes a later one back. */
  function hearLater(heard: Map<string, number>, id: string, at: number): void {
    heard.set(id, Math.max(heard.get(id) ?? 0, at))
  }

  /** The history has these: memory drops them, unless they are live or still held. */
  function forget(ids: readonly string[]): void {
    for (const id of ids) {
      const grant = world.grants.get(id)
      if (grant && !world.holding.has(grant)) grant.isInMemory = false
    }
  }

  /** The history drops what ended long ago: its request ids are free again. */
  function prune(): void {
    for (const [id, { isInMemory, scope }] of world.grants) {
      if (isInMemory) continue
      world.grants.delete(id)
      if (scope !== undefined) world.requests.delete(scope)
    }
    for (const scope of world.buried) if (!world.requests.has(scope)) world.buried.delete(scope)
  }

  function save(): void {
    const inMemory = [...world.grants.values()].filter((grant) => grant.isInMemory)
    const heardAt = [...world.clusters.values()].map((one) => [one.clusterId, one.heardAt] as const)
    world.saved = {
      clusters: new Map(heardAt),
      requesters: new Map(world.heard),
      known: new Set(inMemory.map(({ id }) => id)),
    }
  }

  /** The journal before the last snapshot is dropped. */
  function compact(): void {
    if (world.saved) world.origin = world.saved
    world.saved = undefined
  }

  function restart(from: 'image' | 'snapshot' | 'journal'): void {
    if (from === 'image') return
    const known: Durable = (from === 'snapshot' && world.saved) || world.origin
    for (const supply of world.clusters.values())
      supply.heardAt = known.clusters.get(supply.clusterId) ?? supply.heardAt
    world.heard.clear()
    for (const [requester, at] of known.requesters) world.heard.set(requester, at)
    for (const grant of world.grants.values()) grant.isInMemory = known.known.has(grant.id)
  }

  /** After an outage: the time in which no requester could be heard is not silence. */
  function excuse(now: number): void {
    const last = Math.max(0, ...world.heard.values())
    for (const [requester, at] of world.heard)
      world.heard.set(requester, at + Math.max(0, now - last))
  }
}
