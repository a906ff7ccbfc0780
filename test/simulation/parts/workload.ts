import type { Actor, Advertisement, Command, PeeringStep } from '@bourse/domain/ledger'
import type { Chance } from '@bourse/testkit/chance'
import type { Model } from '../oracle/model.ts'
import { freeOf, isLive } from '../oracle/world.ts'
import type { Feature, Shape } from './shape.ts'
import type { Step } from './step.ts'

type Amounts = Record<string, bigint>
export type Telling = Readonly<{
  chance: Chance
  shape: Shape
  model: Model
  now: number
  index: number
  nameOf(id: string): string
  /** Of all reservations that were made. */
  names: readonly string[]
  /** Requests with an id that were made before. */
  asked: readonly Command[]
}>

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const CURRENCIES = ['USD', 'EUR', 'XAU']
const EXTRA = ['nvidia.com/gpu', 'ephemeral-storage', 'example.com/fpga', 'hugepages-2Mi']
const STEPS: readonly PeeringStep[] = [
  ...(['hello', 'nonce', 'tenant', 'grant', 'gateway', 'tunnel', 'ready', 'goodbye'] as const),
]

/** The next step of a story, by chance, and with an eye on what would just fit. */
export function nextStep(telling: Telling): Step {
  const { chance, shape } = telling
  const has = (feature: Feature) => shape.has.has(feature)
  if (has('restarts') && chance.next() < 0.01) return restart(telling)
  if (has('forgetting') && chance.next() < 0.03)
    return { do: 'forget', count: chance.between(0, 9) }
  if (has('snapshots') && chance.next() < 0.02)
    return { do: chance.next() < 0.3 ? 'compact' : 'save' }
  if (has('pruning') && chance.next() < 0.005) return { do: 'prune' }
  if (has('rates') && chance.next() < 0.01) return { do: 'rates', rates: someRates(chance) }
  if (chance.next() < 0.06) return evaluation(telling)
  const command = signed(telling, commandOf(telling))
  const name = command.kind === 'reserve' ? { name: `R${telling.index}` } : {}
  return { do: 'command', ...name, command, afterMs: elapsed(telling) }
}

function restart({ chance }: Telling): Step {
  const from = chance.pick(['image', 'snapshot', 'journal'] as const) ?? 'image'
  const outageMs = chance.pick([0, 0, MINUTE_MS, 30 * HOUR_MS]) ?? 0
  return { do: 'restart', from, outageMs }
}

function someRates(chance: Chance): Record<string, bigint> {
  const rate = () => chance.pick([1n, 500_000_000n, 1_080_000_000n, 10n ** 18n - 1n]) ?? 1n
  return Object.fromEntries(
    ['EUR', 'XAU'].filter(() => chance.next() < 0.6).map((name) => [name, rate()]),
  )
}

function evaluation(telling: Telling): Step {
  const { chance, shape } = telling
  const { kind: _kind, door: _door, priority: _priority, ...wish } = wishOf(telling)
  const isHiding = shape.has.has('hidden numbers')
  const hidden = isHiding ? shape.clusters.filter(() => chance.next() < 0.5) : []
  return { do: 'evaluate', wish, hidden }
}

/** Often none, and often just as long as something needs to fall due. */
function elapsed({ chance, shape, model, now }: Telling): number {
  if (chance.next() < 0.6) return 0
  const due = model.nextDue() - now
  const toDue = Number.isFinite(due) && due > 0 ? due : 0
  if (shape.pace !== 'still' && chance.next() < 0.3)
    return Math.max(0, toDue + (chance.pick([-1, 0, 0, 1]) ?? 0))
  const units = { still: 1, steady: SECOND_MS, leaping: 10 * MINUTE_MS } as const
  return chance.between(0, 40) * units[shape.pace]
}

/** Weighted: what keeps the exchange busy comes often. */
function commandOf(telling: Telling): Command {
  const { chance, shape, model } = telling
  const live = [...model.world.holding].filter(isLive).length
  if (model.world.clusters.size === 0 || chance.next() < 0.2) return advertisement(telling)
  const isFull = live > chance.between(0, 2 * shape.liveAbout)
  if (chance.next() < 0.5) return isFull ? ending(telling) : reservation(telling)
  return chance.next() < 0.5 ? change(telling) : rarely(telling)
}

function ending(telling: Telling): Command {
  const { chance, shape } = telling
  if (shape.has.has('request ids') && chance.next() < 0.3)
    return { kind: 'releaseRequest', ...(heldScope(telling) ?? scope(telling)) }
  const id = someName(telling)
  return chance.next() < 0.1
    ? { kind: 'release', id, reason: 'Preempted' }
    : { kind: 'release', id }
}

function scope({ chance, shape }: Telling) {
  const doors = shape.has.has('doors') ? ['rest', 'kubernetes'] : ['rest']
  return {
    door: chance.pick(doors) ?? 'rest',
    requester: chance.pick(shape.requesters) ?? 'ana',
    requestId: chance.pick(shape.requestIds) ?? 'one',
  }
}

/** Of one that is live, half the time. */
function heldScope({ chance, model }: Telling): ReturnType<typeof scope> | undefined {
  const held = chance.pick([...model.world.holding])
  const [door = '', requester = '', requestId = ''] = held?.scope?.split(' ') ?? []
  return held?.scope && chance.next() < 0.5 ? { door, requester, requestId } : undefined
}

/** Mostly a live one, now and then any. */
function someName({ chance, model, nameOf, names, shape }: Telling): string {
  const held = [...model.world.holding]
  if (shape.has.has('bad ids') && chance.next() < 0.05)
    return chance.pick(['', 'R', 'rsv-other-1', 'rsv-story-1x', '-1', 'constructor']) ?? ''
  const one = chance.next() < 0.85 ? chance.pick(held) : undefined
  return one ? nameOf(one.id) : (chance.pick(names) ?? 'R1')
}

function change(telling: Telling): Command {
  const { chance, shape } = telling
  const id = someName(telling)
  if (shape.has.has('renewals') && chance.next() < 0.4) {
    const durationMs = someDuration(chance)
    return chance.next() < 0.2
      ? { kind: 'renew', id, durationMs, fingerprint: `edited ${durationMs}` }
      : { kind: 'renew', id, durationMs }
  }
  return chance.next() < 0.5 ? { kind: 'activate', id } : ending(telling)
}

function someDuration(chance: Chance): number {
  return (
    chance.pick([1, SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 50 * HOUR_MS]) ??
    1
  )
}

function rarely(telling: Telling): Command {
  const { chance, shape } = telling
  const { has } = shape
  const clusterId = chance.pick(shape.clusters) ?? 'paris'
  const choices: (() => Command)[] = [() => ({ kind: 'tick' })]
  if (has.has('cordons'))
    choices.push(
      () => ({ kind: 'cordon', clusterId }),
      () => ({ kind: 'uncordon', clusterId }),
    )
  if (has.has('withdrawals'))
    choices.push(
      () => ({
        kind: 'withdraw',
        clusterId,
        graceMs: chance.pick([0, 1, MINUTE_MS, HOUR_MS]) ?? 0,
      }),
      () => ({ kind: 'uncordon', clusterId }),
    )
  if (has.has('decommissions')) choices.push(() => ({ kind: 'decommission', clusterId }))
  if (has.has('heartbeats'))
    choices.push(
      () => ({ kind: 'hear', requester: chance.pick(shape.requesters) ?? 'ana' }),
      () => ({ kind: 'noteHeard' }),
    )
  if (has.has('peering')) choices.push(...Array(4).fill(() => peering(telling)))
  return chance.pick(choices)?.() ?? { kind: 'tick' }
}

function peering(telling: Telling): Command {
  const { chance, shape, model } = telling
  const id = chance.pick(['P', 'Q', 'S']) ?? 'P'
  const session = model.world.sessions.get(id)
  const pair = chance.pick([...model.world.holding])
  const anyone = chance.pick([...shape.requesters, ...shape.clusters]) ?? 'ana'
  const from = (session && chance.pick([session.requester, session.provider, anyone])) ?? anyone
  const chosen = chance.next()
  const word = chance.pick(['x', 'y']) ?? 'x'
  if (chosen < 0.4 || !session) {
    const requester = pair?.requester ?? anyone
    const provider = (chance.next() < 0.9 && pair?.clusterId) || anyone
    const networking = chance.next() < 0.9 ? 'none' : 'wireguard'
    return { kind: 'openPeering', id, requester, provider, networking, hello: word }
  }
  if (chosen < 0.85) {
    const step = chance.pick(STEPS) ?? 'hello'
    return { kind: 'postPeering', id, from, step, sealed: word }
  }
  if (chosen < 0.95)
    return { kind: 'reportPeeringTrouble', id, from, trouble: { reason: word, message: '' } }
  return chance.next() < 0.8 ? { kind: 'closePeering', id, from } : { kind: 'closePeering', id }
}

function reservation(telling: Telling): Command {
  const { chance, shape, model } = telling
  const { has } = shape
  // Retries: lately made, and again and again.
  const again =
    has.has('request ids') && chance.next() < 0.2 && chance.pick(telling.asked.slice(-6))
  if (again) return again
  const wish = wishOf(telling)
  const duration = has.has('durations') && chance.next() < 0.6 ? someDuration(chance) : undefined
  const ided = has.has('request ids') && chance.next() < 0.6 ? scope(telling) : undefined
  const known = chance.pick([...model.world.clusters.keys()])
  const isAdopted = has.has('adoption') && known !== undefined && chance.next() < 0.1
  return {
    ...wish,
    ...ided,
    ...(ided && { fingerprint: bodyOf(wish, duration) }),
    ...(duration !== undefined && { durationMs: duration }),
    ...(isAdopted && { isHeldAlready: true, pinned: chance.next() < 0.9 ? known : 'atlantis' }),
  }
}

/** The same body, the same fingerprint. */
function bodyOf({ wanted, pinned, oneNode }: ReturnType<typeof wishOf>, duration?: number): string {
  const amounts = Object.entries(wanted).map(([name, amount]) => `${name}=${amount}`)
  return [pinned, oneNode, duration, ...amounts].join(' ')
}

function wishOf(telling: Telling) {
  const { chance, shape } = telling
  const { has } = shape
  const isPinned = has.has('pins') && chance.next() < 0.4
  const pinned = chance.pick([...shape.clusters, 'atlantis']) ?? 'paris'
  return {
    kind: 'reserve' as const,
    door: 'rest',
    requester: chance.pick(shape.requesters) ?? 'ana',
    wanted: someWanted(telling),
    priority: 0,
    ...(isPinned && { pinned }),
    ...(has.has('one node') && chance.next() < 0.4 && { oneNode: true as const }),
  }
}

/** 1, just what is free somewhere, one more than that, or a little. */
function someWanted(telling: Telling): Amounts {
  const { chance, model } = telling
  const supply = chance.pick([...model.world.clusters.values()])
  const free = supply ? freeOf(model.world, supply) : {}
  const wanted: Amounts = {}
  for (const name of someNames(telling)) {
    const whole = free[name] ?? 0n
    const node = supply?.facts.largestFit?.[name] ?? 1n
    const amounts = [
      1n,
      1n,
      whole,
      whole + 1n,
      node,
      node + 1n,
      whole / 2n,
      BigInt(chance.between(0, 9)),
    ]
    const amount = chance.pick(amounts) ?? 1n
    wanted[name] = amount > 0n ? amount : 0n
  }
  if (Object.values(wanted).every((amount) => amount === 0n)) wanted.cpu = 1n
  return wanted
}

function someNames({ chance, shape }: Telling): string[] {
  const usual = chance.pick([['cpu'], ['memory'], ['cpu', 'memory'], ['memory', 'cpu']]) ?? ['cpu']
  const isMore = shape.has.has('many resources') && chance.next() < 0.5
  return isMore ? [...usual, chance.pick(EXTRA) ?? 'cpu'] : usual
}

function advertisement(telling: Telling): Command {
  const { chance, shape, model, index } = telling
  const { has } = shape
  const stale = [...model.world.clusters.values()].filter((one) => one.isStale)
  const lost = chance.next() < 0.5 ? chance.pick(stale)?.clusterId : undefined
  const clusterId = lost ?? chance.pick(shape.clusters) ?? 'paris'
  const own = model.world.clusters.get(clusterId)?.door ?? 'rest'
  const doors = has.has('doors') ? [own, own, own, 'rest', 'kubernetes'] : ['rest']
  const seen = chance.pick([undefined, 0, index - 1, index - 3, index, index + 5])
  return {
    kind: 'advertise',
    door: chance.pick(doors) ?? 'rest',
    clusterId,
    advertisement: facts(telling, clusterId),
    ...(seen !== undefined && { seenIndex: Math.max(0, seen) }),
  }
}

/** Half the time the same as before: a heartbeat. */
function facts(telling: Telling, clusterId: string): Advertisement {
  const { chance, shape, model, nameOf } = telling
  const { has } = shape
  const known = model.world.clusters.get(clusterId)
  if (known && chance.next() < 0.4) {
    const { seenIndex: _seen, used, ...same } = known.facts
    const named = Object.entries(used).map(([id, amounts]) => [nameOf(id), amounts])
    return { ...same, used: Object.fromEntries(named) }
  }
  const allocatable = someSupply(telling)
  const allocated = chance.next() < 0.4 ? someParts(telling, allocatable) : {}
  const stamp = has.has('stamps') && chance.next() < 0.6 ? chance.pick(['s1', 's2']) : undefined
  const prices = has.has('agreed prices') ? someCost(telling) : undefined
  return {
    clusterName: clusterId,
    capacity: allocatable,
    allocatable,
    allocated,
    used: has.has('use') ? someUse(telling) : {},
    ...(prices && { cost: prices }),
    ...(stamp !== undefined && { stamp }),
    ...(has.has('doors') && chance.next() < 0.2 && { isUnclaimed: true }),
    ...(has.has('one node') &&
      chance.next() < 0.7 && {
        largestFit: someParts(telling, allocatable),
      }),
    ...(chance.next() < 0.3 && { visibility: chance.pick(['full', 'summary'] as const) ?? 'full' }),
  }
}

function someSupply({ chance, shape }: Telling): Amounts {
  const { has } = shape
  const size = () => {
    if (has.has('huge amounts') && chance.next() < 0.5)
      return 2n ** 53n + BigInt(chance.between(-2, 40))
    return BigInt(chance.pick([0, 1, 4, 7, 10, 10, 10, 20, 4_000]) ?? 10)
  }
  const supply: Amounts = { cpu: size(), memory: size() }
  if (has.has('many resources'))
    for (const name of EXTRA) if (chance.next() < 0.5) supply[name] = size()
  return supply
}

function someParts({ chance }: Telling, whole: Amounts): Amounts {
  const parts: Amounts = {}
  for (const name in whole)
    if (chance.next() < 0.8) parts[name] = ((whole[name] ?? 0n) * BigInt(chance.between(0, 5))) / 4n
  return parts
}

function someUse(telling: Telling): Record<string, Amounts> {
  const { chance, model, nameOf, names } = telling
  const used: Record<string, Amounts> = {}
  for (const { id, wanted } of model.world.holding)
    if (chance.next() < 0.4) used[nameOf(id)] = someParts(telling, wanted)
  if (chance.next() < 0.1) used[chance.pick(names) ?? 'R1'] = { cpu: 1n }
  if (chance.next() < 0.1) used['other-1'] = { cpu: 1n }
  return used
}

function someCost({ chance, shape }: Telling) {
  const price = () => chance.pick([0n, 1n, 5n, 10n, 20_000_000n, 1_000_000_000n, 10n ** 18n - 1n])
  const currency = shape.has.has('rates') ? (chance.pick(CURRENCIES) ?? 'USD') : 'USD'
  const names = ['cpu', 'memory', 'gpu'].filter(() => chance.next() < 0.6)
  if (chance.next() < 0.2) return undefined
  return { currency, ...Object.fromEntries(names.map((name) => [name, price() ?? 1n])) }
}

/** Operators, people and objects act, too. */
function signed({ chance, shape }: Telling, command: Command): Command {
  if (!shape.has.has('actors') || chance.next() < 0.7) return command
  const by: Actor = {
    kind: chance.pick(['cluster', 'operator', 'object', 'system'] as const) ?? 'operator',
    id: chance.pick([...shape.requesters, ...shape.clusters]) ?? 'ana',
    door: 'rest',
    ...(chance.next() < 0.3 && { why: 'maintenance' }),
  }
  return { ...command, by }
}
