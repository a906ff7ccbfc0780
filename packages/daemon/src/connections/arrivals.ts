import type { ConnectionLimits } from './limits.ts'

/** A connection that has not shown who it is. */
export type Arrival = { readonly address: string; readonly arrivedAt: number }
/** In the order they come in; from `silent` a connection may also go at once. */
type Stage = 'silent' | 'queued' | 'handshakes'
type Group<A> = Readonly<Record<Stage, Set<A>>>
type Ports<A> = Readonly<{
  limits: ConnectionLimits
  /** Begins the handshake. */
  begin(arrival: A): void
  drop(arrival: A, reason: 'silent' | 'flooded'): void
  /** Calls back in the next turn of the event loop. */
  defer(next: () => void): void
}>

/**
 * Connections on their way in:
 *
 *   silent ──its whole hello──► queued ──its address's turn──► handshakes ──► (open)
 *
 * One that says nothing costs a descriptor and no TLS. Addresses take turns, so that a flood from
 * one is not in the way of another. Where too many are silent the oldest of the address that has
 * most gives way. Where too many handshakes are at work, one of the address that has most gives
 * way to an address with fewer; the connections of one address wait for each other, so that a
 * federation behind one address may come back at once.
 */
export function createArrivals<A extends Arrival>({ limits, begin, drop, defer }: Ports<A>) {
  const groups = new Map<string, Group<A>>()
  /** Addresses with a handshake to begin, the next one first. */
  const ready = new Set<Group<A>>()
  let count = 0
  let handshakes = 0
  let isTurnTaken = false
  let hasArrived = false
  let turnsWithout = 0

  return { arrive, speak, leave, sweep, dropAll, count: () => count, handshakes: () => handshakes }

  function arrive(arrival: A): void {
    const group = groups.get(arrival.address) ?? newGroup(arrival.address)
    group.silent.add(arrival)
    count += 1
    hasArrived = true
    if (sizeOf(group) > limits.arrivingPerAddressMax) dropOldest(group)
    else if (count > limits.arrivingMax) dropOldest(heaviest(sizeOf))
  }

  /** Its hello is here. */
  function speak(arrival: A): void {
    const group = groups.get(arrival.address)
    if (!group?.silent.delete(arrival)) return
    group.queued.add(arrival)
    ready.add(group)
    if (!isTurnTaken) beginOne()
  }

  /** Safe to call twice: it has gone, or is through. */
  function leave(arrival: A): void {
    const group = groups.get(arrival.address)
    if (!group) return
    const wasInHandshake = group.handshakes.delete(arrival)
    if (wasInHandshake) endHandshake()
    else if (!group.silent.delete(arrival) && !group.queued.delete(arrival)) return
    count -= 1
    if (sizeOf(group) > 0) return
    groups.delete(arrival.address)
    ready.delete(group)
  }

  function endHandshake(): void {
    handshakes -= 1
    if (ready.size > 0 && !isTurnTaken) takeTurn()
  }

  /** Gives up those that were silent for too long. Node does so itself with a handshake. */
  function sweep(now: number): void {
    for (const { silent } of groups.values())
      for (const arrival of silent) {
        if (now - arrival.arrivedAt < limits.silentMs) break
        giveUp(arrival, 'silent')
      }
  }

  function dropAll(): void {
    for (const group of groups.values())
      for (const stage of [group.silent, group.queued])
        for (const arrival of stage) giveUp(arrival, 'silent')
  }

  /** One in a turn of the event loop: whatever else has come is seen to in between. */
  function beginOne(): void {
    const group = nextReady()
    if (!group) return
    takeTurn()
    // To the end of the line, if more of it wait.
    ready.delete(group)
    const [next] = group.queued
    if (group.queued.size > 1) ready.add(group)
    if (next) shakeHands(group, next)
  }

  /** With room for one more handshake, or the first whose address may take one from another. */
  function nextReady(): Group<A> | undefined {
    const [first] = ready
    if (!first || handshakes < limits.handshakesMax) return first
    const most = heaviest((one) => one.handshakes.size)
    for (const group of ready) {
      // By more than one: two large addresses would take the same handshake from each other.
      if (most.handshakes.size <= group.handshakes.size + 1) continue
      const [oldest] = most.handshakes
      if (oldest) giveUp(oldest, 'flooded')
      return group
    }
    return undefined
  }

  function takeTurn(): void {
    isTurnTaken = true
    defer(nextTurn)
  }

  /**
   * A turn accepts one connection, and a handshake takes as long as ten turns without: while others
   * stand in line to be accepted, newcomers among them, most turns are for them.
   */
  function nextTurn(): void {
    isTurnTaken = false
    const isForArrivals = hasArrived && turnsWithout < limits.arrivalsPerHandshake
    hasArrived = false
    turnsWithout = isForArrivals ? turnsWithout + 1 : 0
    if (ready.size === 0) return
    if (isForArrivals) takeTurn()
    else beginOne()
  }

  function shakeHands(group: Group<A>, arrival: A): void {
    group.queued.delete(arrival)
    group.handshakes.add(arrival)
    handshakes += 1
    begin(arrival)
  }

  function dropOldest({ silent, handshakes: begun, queued }: Group<A>): void {
    const [oldest] = [...first(silent), ...first(begun), ...first(queued)]
    if (oldest) giveUp(oldest, 'flooded')
  }

  function giveUp(arrival: A, reason: 'silent' | 'flooded'): void {
    leave(arrival)
    drop(arrival, reason)
  }

  /** The first of equals is the one that has been here longest. */
  function heaviest(weigh: (group: Group<A>) => number): Group<A> {
    let most = 0
    let found: Group<A> | undefined
    for (const group of groups.values()) {
      const weight = weigh(group)
      if (weight <= most) continue
      most = weight
      found = group
    }
    if (!found) throw new Error('There is no address to take a connection from.')
    return found
  }

  function newGroup(address: string): Group<A> {
    const group = { silent: new Set<A>(), queued: new Set<A>(), handshakes: new Set<A>() }
    groups.set(address, group)
    return group
  }
}

function first<A>([one]: Iterable<A>): A[] {
  return one === undefined ? [] : [one]
}

function sizeOf<A>({ silent, queued, handshakes }: Group<A>): number {
  return silent.size + queued.size + handshakes.size
}
