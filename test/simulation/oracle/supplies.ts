import { canonical } from './canonical.ts'
import { drained } from './grants.ts'
import { type CommandOf, durables, heldOn, isLive, type Supply, type World } from './world.ts'

/** Replaces all that a cluster says. What is reserved on it belongs to the broker and stays. */
export function advertise(world: World, command: CommandOf<'advertise'>): string {
  const { clusterId, door, advertisement, seenIndex } = command
  const { clusters, now, index } = world
  const known = clusters.get(clusterId)
  if (known && known.door !== door && !known.facts.isUnclaimed) return 'claimedElsewhere'
  const { stamp } = advertisement
  const isSignOfLife = stamp === undefined || stamp !== known?.facts.stamp
  if (isSignOfLife) world.heard.set(clusterId, now)
  if (known && isSignOfLife) known.heardAt = now
  for (const grant of heldOn(world, clusterId))
    if (grant.isDraining && seenIndex !== undefined && grant.changedIndex <= seenIndex)
      drained(world, grant)
  const facts = { ...advertisement, used: heldUse(world, command) }
  const seen = seenOf(known, command, index)
  const isMeasured = measuredAnew(world, known, seen)
  if (known && isSame(known.facts, facts) && !isMeasured) {
    if (known.isStale && isSignOfLife) comeBack(world, known)
    return 'advertised, unchanged'
  }
  clusters.set(clusterId, {
    clusterId,
    accepting: 'open',
    heardAt: now,
    ...known,
    isStale: !isSignOfLife && known?.isStale === true,
    door,
    facts,
    seen,
  })
  if (isSignOfLife) for (const durable of durables(world)) durable.clusters.set(clusterId, now)
  world.effects.push(`advertised ${clusterId} by ${door}`)
  return 'advertised'
}

function comeBack(world: World, supply: Supply): void {
  supply.isStale = false
  for (const { clusters } of durables(world)) clusters.set(supply.clusterId, world.now)
  world.effects.push(`returned ${supply.clusterId}`)
}

/** Use of what is not held here is ignored. */
function heldUse(world: World, { clusterId, advertisement }: CommandOf<'advertise'>) {
  const held = new Set(heldOn(world, clusterId).map(({ id }) => id))
  return Object.fromEntries(Object.entries(advertisement.used).filter(([id]) => held.has(id)))
}

/** An agent that does not say what it had seen knew of all before. One that was late takes nothing back. */
function seenOf(known: Supply | undefined, command: CommandOf<'advertise'>, index: number) {
  const { seenIndex = index, advertisement } = command
  const least = known?.facts.largestFit && advertisement.largestFit ? known.seen : 0
  return Math.max(least, Math.min(seenIndex, index - 1))
}

/** Whether the agent has now measured with grants that it had not seen before. */
function measuredAnew(world: World, known: Supply | undefined, seen: number): boolean {
  if (!known?.facts.largestFit) return false
  const { clusterId, seen: before } = known
  return heldOn(world, clusterId).some(
    (one) => one.decidedIndex > before && one.decidedIndex <= seen,
  )
}

function isSame(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right)
}

type Accepting = CommandOf<'cordon'> | CommandOf<'uncordon'> | CommandOf<'withdraw'>

export function setAccepting(world: World, command: Accepting): string {
  const supply = world.clusters.get(command.clusterId)
  if (!supply) return 'missing'
  const { accepting: before } = supply
  const isNothing =
    (command.kind === 'cordon' && before !== 'open') ||
    (command.kind === 'uncordon' && before === 'open')
  if (isNothing) return `clusterChanged ${before}, unchanged`
  const after = { cordon: 'cordoned', uncordon: 'open', withdraw: 'withdrawn' } as const
  supply.accepting = after[command.kind]
  supply.withdrawnAt = command.kind === 'withdraw' ? world.now + command.graceMs : undefined
  world.effects.push(
    `acceptingChanged ${supply.clusterId} to ${supply.accepting}, ends ${supply.withdrawnAt}`,
  )
  return `clusterChanged ${supply.accepting}`
}

/** Never with anything on it, nor while its agent or its object would bring it back. */
export function decommission(world: World, { clusterId }: CommandOf<'decommission'>): string {
  const supply = world.clusters.get(clusterId)
  if (!supply) return 'missing'
  const held = heldOn(world, clusterId)
  if (held.length > 0) return `stillHolding ${held.length}`
  const { stamp, isUnclaimed } = supply.facts
  if (stamp !== undefined && !isUnclaimed) return 'stillSpokenFor'
  if (stamp === undefined && !supply.isStale) return `stillHeard ${world.now - supply.heardAt}`
  world.clusters.delete(clusterId)
  for (const { clusters } of durables(world)) clusters.delete(clusterId)
  world.effects.push(`decommissioned ${clusterId}`)
  return 'decommissioned'
}

export const liveOn = (world: World, clusterId: string) => heldOn(world, clusterId).filter(isLive)
