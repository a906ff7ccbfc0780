import type { ConnectionLimits } from './limits.ts'

/** A connection that is not through its TLS handshake. */
export type Arrival = { readonly address: string; readonly arrivedAt: number }
/** Stages in order. */
type Stage = 'silent' | 'queued' | 'handshakes'
type Group<A> = Readonly<Record<Stage, Set<A>>>
type Ports<A> = Readonly<{
  limits: ConnectionLimits
  /** Starts the handshake. */
  begin(arrival: A): void
  drop(arrival: A, reason: 'silent' | 'flooded'): void
  /** Calls back in the next turn of the event loop. */
  defer(next: () => void): void
}>

/**
 * Connections before the end of their handshake:
 *
 *   silent ──complete hello──► queued ──turn of its address──► handshakes ──► (open)
 *
 * A silent connection costs a descriptor, but no TLS state. Addresses take turns, so a flood from
 * one address does not block another. If too many are silent, the oldest of the address with the
 * most is dropped. If too many handshakes run, one of the address with the most is dropped for an
 * address with fewer. Connections of the same address wait for each other, so that a whole
 * federation behind one address may reconnect at once.
 */
export function createArrivals<A extends Arrival>({ limits, begin, drop, defer }: Ports<A>) {
  const groups = new Map<string, Group<A>>()
  /** Addresses with a handshake to start, the next one first. */
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

  /** Its hello is complete. */
  function speak(arrival: A): void {
    const group = groups.get(arrival.address)
    if (!group?.silent.delete(arrival)) return
    group.queued.add(arrival)
    ready.add(group)
    if (!isTurnTaken) beginOne()
  }

  /** It has closed or completed its handshake. Safe to call twice. */
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

  /** Drops those that were silent for too long. Node itself limits the time of a handshake. */
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

  /** One per turn of the event loop, so that other work runs in between. */
  function beginOne(): void {
    const group = nextReady()
    if (!group) return
    takeTurn()
    // Back to the end of the queue, if it has more waiting.
    ready.delete(group)
    const [next] = group.queued
    if (group.queued.size > 1) ready.add(group)
    if (next) shakeHands(group, next)
  }

  /** The next address if there is room; otherwise the first that may displace another's handshake. */
  function nextReady(): Group<A> | undefined {
    const [first] = ready
    if (!first || handshakes < limits.handshakesMax) return first
    const most = heaviest((one) => one.handshakes.size)
    for (const group of ready) {
      // Require a difference of two: otherwise two large addresses would displace each other.
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
   * A turn accepts one connection, and a handshake takes as long as ten other turns. While
   * connections wait to be accepted, most turns go to them.
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

  /** Of equals, the oldest address. */
  function heaviest(weigh: (group: Group<A>) => number): Group<A> {
    let most = 0
    let found: Group<A> | undefined
    for (const group of groups.values()) {
      const weight = weigh(group)
      if (weight <= most) continue
      most = weight
      found = group
    }
    if (!found) throw new Error('No address has a connection to drop.')
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
