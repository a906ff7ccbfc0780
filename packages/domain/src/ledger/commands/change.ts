import { phaseAfter } from '../../reservation/phases.ts'
import { BURIED, type Reservation } from '../../reservation/reservation.ts'
import type { Command } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'
import { release } from './step.ts'

type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

/** The requester confirms that it uses what it reserved. */
export function activate(step: Step, { id }: CommandOf<'activate'>): Outcome {
  const reservation = step.books.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  if (reservation.phase === 'Active') return { kind: 'unchanged', reservation }
  const phase = phaseAfter(reservation.phase, 'activate')
  if (!phase) return { kind: 'wrongPhase', reservation }

  const { now: at, index: changedIndex } = step
  const active: Reservation = { ...reservation, phase, activatedAt: at, changedIndex }
  step.emit({ kind: 'activated', at, reservation: active })
  return { kind: 'changed', reservation: active }
}

/** A new duration, counted from now. A provider that withdraws ends it sooner, unless it stays. */
export function renew(step: Step, command: CommandOf<'renew'>): Outcome {
  const { id, durationMs, fingerprint } = command
  const reservation = step.books.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  const phase = phaseAfter(reservation.phase, 'renew')
  if (!phase) return { kind: 'wrongPhase', reservation }

  const { now: at, index: changedIndex } = step
  const renewed: Reservation = {
    ...reservation,
    phase,
    expiresAt: at + durationMs,
    ...(fingerprint !== undefined && { fingerprint }),
    changedIndex,
  }
  step.emit({ kind: 'renewed', at, reservation: renewed })
  return { kind: 'changed', reservation: renewed }
}

export function releaseById(step: Step, { id, reason }: CommandOf<'release'>): Outcome {
  const reservation = step.books.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  const ended = release(step, reservation, reason ?? 'Released')
  return ended ? { kind: 'changed', reservation: ended } : { kind: 'unchanged', reservation }
}

/** Also works before the request has arrived. Whatever comes late with this id is refused. */
export function releaseByRequest(step: Step, command: CommandOf<'releaseRequest'>): Outcome {
  const { books, now: at } = step
  const { door, requester, requestId, remembered } = command
  const scope = { door, requester, requestId }
  const number = books.requestIds.reservationOf(scope)
  const held = number === undefined ? undefined : books.reservations.at(number)
  const ended = held && release(step, { ...held, fingerprint: BURIED }, 'Released')
  if (ended) return { kind: 'changed', reservation: ended }

  const onDisk = remembered?.kind === 'granted' ? remembered.reservation : undefined
  const known = held ?? onDisk
  const isBuried =
    books.requestIds.isTombstoned(scope) ||
    remembered?.kind === 'tombstone' ||
    known?.fingerprint === BURIED
  if (!isBuried) step.emit({ kind: 'tombstoned', at, ...scope })
  return known ? { kind: 'unchanged', reservation: known } : { kind: 'tombstoned' }
}

/** Cordon, uncordon and withdraw: whether a cluster takes anything new. */
export function setAccepting(
  step: Step,
  command: CommandOf<'cordon'> | CommandOf<'uncordon'> | CommandOf<'withdraw'>,
): Outcome {
  const { clusterId } = command
  const before = step.books.providers.get(clusterId)?.cluster
  if (!before) return { kind: 'missing' }
  const accepting = acceptingAfter[command.kind]
  const isSame = before.accepting === accepting && command.kind !== 'withdraw'
  // A withdrawn cluster is cordoned already; only opening it again takes the withdrawal back.
  if (isSame || (before.accepting === 'withdrawn' && command.kind === 'cordon'))
    return { kind: 'clusterChanged', cluster: before, changed: false }

  const { now: at } = step
  const ends = command.kind === 'withdraw' ? { withdrawnAt: at + command.graceMs } : {}
  step.emit({ kind: 'acceptingChanged', at, clusterId, accepting, ...ends })
  const cluster = step.books.providers.get(clusterId)?.cluster ?? before
  return { kind: 'clusterChanged', cluster, changed: true }
}

/** Takes a cluster off the board that will not come back; one that does starts anew. */
export function decommission(step: Step, { clusterId }: CommandOf<'decommission'>): Outcome {
  const provider = step.books.providers.get(clusterId)
  if (!provider) return { kind: 'missing' }
  const { cluster, live, draining } = provider
  const count = live.size + draining.size
  if (count > 0) return { kind: 'stillHolding', count }
  const { stamp, isUnclaimed } = cluster.advertisement
  if (stamp !== undefined && !isUnclaimed) return { kind: 'stillSpokenFor', cluster }

  step.emit({ kind: 'decommissioned', at: step.now, clusterId })
  return { kind: 'decommissioned', cluster }
}

const acceptingAfter = { cordon: 'cordoned', uncordon: 'open', withdraw: 'withdrawn' } as const
