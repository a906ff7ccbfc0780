import { sizeLimits } from '../../limits.ts'
import type { createDeadlines, Deadline } from '../../time/deadlines.ts'
import type { Actor } from '../state/actor.ts'
import type { Limits } from '../state/state.ts'
import { close } from './peer.ts'
import { release } from './release.ts'
import { actingAs, type Step } from './step.ts'

type Deadlines = ReturnType<typeof createDeadlines>
type Due = Readonly<{ step: Step; deadlines: Deadlines; limits: Limits }>

/** Runs what is due. A deadline that has moved is added again at its later time. */
export function runDue(due: Due): void {
  for (let done = 0; done < sizeLimits.dueMax; ) {
    const next = due.deadlines.popDue(due.step.now)
    if (!next) return
    done += run({ ...due, step: actingAs(broker[next.kind], due.step) }, next)
  }
}

/** The broker itself acts on a deadline; the id names the kind. */
const broker: Readonly<Record<Deadline['kind'], Actor>> = {
  expiry: actorFor('expiry'),
  drain: actorFor('drain'),
  stale: actorFor('silence'),
  withdrawal: actorFor('withdrawal'),
  reclaim: actorFor('silence'),
  peering: actorFor('expiry'),
}

function actorFor(id: string): Actor {
  return { kind: 'system', id, door: 'broker' }
}

/** Returns how much it counts towards `dueMax`. */
function run(due: Due, next: Deadline): number {
  if (next.kind === 'peering') return expirePeering(due, next.of)
  return next.kind === 'expiry' || next.kind === 'drain'
    ? ofReservation[next.kind](due, next.of)
    : ofCluster[next.kind](due, next.of)
}

function expirePeering({ step }: Due, id: string): number {
  const expired = step.state.peerings.look(id, step.now)
  if (expired) close(step, expired, 'Expired')
  return 1
}

const ofReservation = {
  /** A renewed reservation has another deadline, added when it was renewed. */
  expiry({ step }: Due, number: number): number {
    const reservation = step.state.reservations.at(number)
    const expiresAt = reservation?.expiresAt
    if (!reservation || expiresAt === undefined || reservation.endedAt !== undefined) return 1
    if (expiresAt <= step.now) release(step, reservation, 'Expired')
    return 1
  },

  drain({ step }: Due, number: number): number {
    const reservation = step.state.reservations.at(number)
    for (const { clusterId } of reservation?.legs ?? [])
      if (reservation && step.state.providers.get(clusterId)?.draining.has(number))
        step.emit({ kind: 'drained', at: step.now, reservation, clusterId })
    return 1
  },
}

const ofCluster = {
  /** Counts 0: every silent cluster is stale before the next request is placed. */
  stale({ step, deadlines, limits }: Due, clusterId: string): number {
    const provider = step.state.providers.get(clusterId)
    if (!provider || provider.cluster.isStale) return 0
    const staleAt = provider.advertisedAt + limits.staleAfterMs
    if (staleAt > step.now) deadlines.add(staleAt, { kind: 'stale', of: clusterId })
    else step.emit({ kind: 'staled', at: step.now, clusterId })
    return 0
  },

  withdrawal({ step, deadlines }: Due, clusterId: string): number {
    const provider = step.state.providers.get(clusterId)
    const withdrawnAt = provider?.cluster.withdrawnAt
    if (!provider || withdrawnAt === undefined || withdrawnAt > step.now) return 1
    if (isEarly(deadlines, withdrawnAt)) {
      deadlines.add(withdrawnAt, { kind: 'withdrawal', of: clusterId })
      return 1
    }
    const held = [...provider.holding].slice(0, sizeLimits.dueMax)
    for (const reservation of reservationsOf(step, held)) release(step, reservation, 'Withdrawn')
    if (provider.holding.size > 0) deadlines.add(withdrawnAt, { kind: 'withdrawal', of: clusterId })
    return Math.max(1, held.length)
  },

  reclaim({ step, deadlines, limits }: Due, requester: string): number {
    const { state, now } = step
    const reclaimAt = (state.silence.heardAt.get(requester) ?? now) + limits.reclaimAfterMs
    if (reclaimAt > now || isEarly(deadlines, reclaimAt)) {
      deadlines.add(reclaimAt, { kind: 'reclaim', of: requester })
      return 1
    }
    const left = [...reservationsOf(step, state.requestedBy(requester))]
    // One that was made for a requester after that is not ended by a replay of its old heartbeats.
    const endless = left.filter((one) => one.expiresAt === undefined && one.createdAt < reclaimAt)
    const ending = endless.slice(0, sizeLimits.dueMax)
    for (const reservation of ending) release(step, reservation, 'RequesterGone')
    if (ending.length < endless.length) deadlines.add(reclaimAt, { kind: 'reclaim', of: requester })
    else state.silence.heardAt.delete(requester)
    return Math.max(1, ending.length)
  },
}

/** Popped for an earlier deadline of the same: what ends before `at` comes first. */
function isEarly({ next }: Deadlines, at: number): boolean {
  return (next() ?? at) < at
}

function* reservationsOf({ state }: Step, numbers: Iterable<number>) {
  for (const number of numbers) {
    const reservation = state.reservations.at(number)
    if (reservation) yield reservation
  }
}
