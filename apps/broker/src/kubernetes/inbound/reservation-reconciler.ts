import { priorityNote } from '@bourse/contract'
import {
  type Actor,
  type Command,
  isLive,
  type Reservation,
  type ReserveCommand,
  targetOf,
} from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import { DOOR } from '../objects/kinds.ts'
import { objectActor } from '../objects/object-facts.ts'
import { type AskedReservation, pastOf } from '../objects/reservation-object.ts'
import {
  delayedStatus,
  type Ending,
  endedStatus,
  generationShown,
  reservationStatus,
} from '../objects/reservation-status.ts'
import { ADOPTION } from './adoption.ts'
import { type ChangePorts, createGrantedChanges, reservationIn } from './granted-changes.ts'
import type { Again, Delay } from './object-price.ts'
import { toReserveCommand } from './reservation-command.ts'
import type { ReservationWrites } from './reservation-writes.ts'
import { createSupplyGrace } from './supply-grace.ts'

type Ports = ChangePorts &
  Readonly<{
    /** What this object led to: live ones, and ended ones until that has been shown. */
    madeFor(uid: string): Reservation | undefined
    /** What the history on disk knows of it. */
    remembered(requester: string, uid: string): Promise<Reservation | undefined>
    /** It ended, and its object says so: it can be forgotten. */
    settled(uid: string): void
    refusalSentence(ranking: Ranking, command: ReserveCommand): Promise<string>
    /** Why this requester gets nothing new; undefined while it may. */
    denied(clusterId: string): string | undefined
    /** Supply is being read at this moment: "nothing fits" may be wrong a moment later. */
    supplyIsComing(): boolean
    endpointOf(clusterId: string): string | undefined
    objects: ReservationWrites
    warn(object: AskedReservation, reason: string, note: string): void
    ledgerId: string
    /** Whether what another broker granted is taken over. */
    adopt: boolean
    index(): number
    now(): number
  }>

const SUPPLY_COMING_MS = 50
const RELEASED = { phase: 'Released', reason: 'Released' } as const
const NEVER_GRANTED: Ending = { ...RELEASED, message: 'Released before it was granted' }
/** The provider of something to take over may advertise any moment, or never again. */
const TAKE_OVER_AGAIN_MS = 2_000

/**
 * Turns a Reservation that a user made into a command, and shows its outcome.
 *
 *   made ──► reserve ──► status ──► finalizer and target in one write
 *   edited: renew · conditions: activate, release · deleted: release ──► finalizer off
 *
 * A crash between any two of these repeats a step and never skips one. What is deleted after the
 * commit and before it has its finalizer is gone at once: the watch tells of it, or the first full
 * list of the next leader does, and either releases.
 */
export function createReservationReconciler(ports: Ports) {
  const { submit, objects, ledgerId, limits, now } = ports
  const grace = createSupplyGrace(now)
  const { heed, change } = createGrantedChanges(ports)

  return { reconcile, gone, released }

  async function reconcile(object: AskedReservation): Promise<Again> {
    const again = await look(object)
    if (!again) grace.over(object.uid)
    return again
  }

  async function look(object: AskedReservation): Promise<Again> {
    if (object.isDeleting) return farewell(object)
    const made = ports.madeFor(object.uid)
    if (made) return follow(object, made)
    switch (pastOf(object, ledgerId)) {
      case 'none':
        return ask(object)
      case 'over':
        return settle(object)
      case 'granted here':
        return recall(object)
      case 'granted elsewhere':
        return takeOver(object)
    }
  }

  /** Deleted before it had its finalizer, or after a user took it off. */
  async function gone(object: AskedReservation): Promise<void> {
    grace.over(object.uid)
    if (mayHold(object))
      await releaseRequest(object.spec.requesterID, object.uid, objectActor(object))
    ports.settled(object.uid)
  }

  /** Its object was deleted before the watch began, and its name is unknown. */
  async function released(requester: string, uid: string): Promise<void> {
    await releaseRequest(requester, uid, { kind: 'object', id: uid, door: DOOR })
    ports.settled(uid)
  }

  async function ask(object: AskedReservation): Promise<Again> {
    if (object.wantedPhase === 'released') return close(object, NEVER_GRANTED)
    const read = toReserveCommand(object, limits)
    if (read.kind === 'bad')
      return close(object, { phase: 'Failed', reason: 'InvalidRequest', message: read.sentence })
    const denial = ports.denied(object.spec.requesterID)
    if (denial !== undefined)
      return close(object, { phase: 'Failed', reason: 'ClusterDenied', message: denial })
    const delay = ports.price(object.spec.requesterID, object.spec)
    if (delay) return postpone(object, delay)
    const { outcome } = await submit({ ...read.command, by: objectActor(object) })
    switch (outcome.kind) {
      case 'reserved':
      case 'known':
      case 'requestIdReused':
        return follow(object, outcome.reservation)
      case 'refused':
        return refuse(object, read.command, outcome.ranking)
      case 'tombstoned':
        return close(object, NEVER_GRANTED)
      default:
        throw new Error(`A reserve command cannot end as ${outcome.kind}`)
    }
  }

  async function refuse(
    object: AskedReservation,
    command: ReserveCommand,
    ranking: Ranking,
  ): Promise<Again> {
    if (ports.supplyIsComing()) return { againAfterMs: SUPPLY_COMING_MS }
    const againAfterMs = grace.untilNextLookMs(object.uid)
    if (againAfterMs !== undefined) return { againAfterMs }
    ports.trials.refused(command)
    return close(object, {
      phase: 'Failed',
      reason: 'NoClusterFits',
      message: await ports.refusalSentence(ranking, command),
      refused: refusedCounts(ranking),
    })
  }

  /** Reported once, and not on every reconcile. */
  async function postpone(object: AskedReservation, { afterMs, message }: Delay): Promise<Again> {
    const { generation, shown } = object
    const isTold = shown.message === message && shown.observedGeneration === generation
    if (!isTold) await objects.show(object, delayedStatus({ message, ...momentOf(object) }))
    return { againAfterMs: afterMs }
  }

  /** Makes the reservation what the object asks for now, and the object show what it is. */
  async function follow(object: AskedReservation, before: Reservation): Promise<Again> {
    const { reservation, complaint: refused, againAfterMs } = await heed(object, before)
    const note = priorityNote(object.spec.priority, reservation.priority)
    const complaint = [refused, note].filter(Boolean).join('; ')
    const lives = isLive(reservation.phase)
    const generation = generationShown(object, { lives, isPostponed: againAfterMs !== undefined })
    const showing = { ledgerId, generation, endpointOf: ports.endpointOf, complaint }
    // The answer first, since a user waits for it; the finalizer is not urgent.
    const shown = await objects.show(object, reservationStatus(reservation, showing))
    if (!lives) return settle(shown)
    await hold(shown, reservation)
    return againAfterMs === undefined ? undefined : { againAfterMs }
  }

  async function hold(object: AskedReservation, reservation: Reservation): Promise<void> {
    const target = object.spec.targetClusterID || targetOf(reservation)
    const isHeld = object.isProtected && object.spec.targetClusterID
    if (!isHeld && target !== undefined) await objects.hold(object, target)
  }

  async function farewell(object: AskedReservation): Promise<Again> {
    // Others have finalizers, too: then it stays for a while, and what it holds need not.
    if (!object.isProtected && !ports.madeFor(object.uid)) return undefined
    // Durable before the finalizer goes: after that, there is no object to retry from.
    if (mayHold(object))
      await releaseRequest(object.spec.requesterID, object.uid, objectActor(object))
    return settle(object)
  }

  /** Also for an unknown reservation: a commit may be under way whose outcome is not known. */
  function mayHold(object: AskedReservation): boolean {
    const made = ports.madeFor(object.uid)
    return made ? isLive(made.phase) : pastOf(object, ledgerId) !== 'over'
  }

  async function releaseRequest(requester: string, requestId: string, by: Actor): Promise<void> {
    const scope = { door: DOOR, requester, requestId }
    const { outcome } = await submit({ kind: 'releaseRequest', ...scope, by })
    if (outcome.kind === 'changed') ports.trials.released(outcome.reservation)
  }

  /** Granted by this ledger and no longer in memory, so it has ended. */
  async function recall(object: AskedReservation): Promise<Again> {
    const ended = await ports.remembered(object.spec.requesterID, object.uid)
    if (ended) return follow(object, ended)
    return close(object, {
      ...RELEASED,
      message: 'Ended so long ago that the ledger no longer knows it',
    })
  }

  /** What another broker granted stays where it is, with amounts counted anew. */
  async function takeOver(object: AskedReservation): Promise<Again> {
    if (!ports.adopt) return warnOfOtherLedger(object)
    const { expiresAt, targetClusterID, phase } = object.shown
    const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now()
    if (leftMs !== undefined && leftMs <= 0)
      return close(object, { phase: 'Released', reason: 'Expired', message: 'Its time was over' })
    const read = toReserveCommand(object, limits)
    if (read.kind === 'bad')
      return close(object, { phase: 'Failed', reason: 'InvalidRequest', message: read.sentence })

    const pinned = targetClusterID || object.spec.targetClusterID
    const { outcome } = await submit({
      ...read.command,
      by: ADOPTION,
      isHeldAlready: true,
      ...(pinned && { pinned }),
      ...(leftMs !== undefined && { durationMs: leftMs }),
    })
    const taken = reservationIn(outcome)
    if (!taken) return { againAfterMs: TAKE_OVER_AGAIN_MS }
    if (phase !== 'Active') return follow(object, taken)
    const activate: Command = { kind: 'activate', id: taken.id, by: ADOPTION }
    return follow(object, (await change(activate, taken)).reservation)
  }

  function warnOfOtherLedger(object: AskedReservation): undefined {
    const whose = object.shown.ledgerID ? `ledger ${object.shown.ledgerID}` : 'another broker'
    const remedy = 'Start the broker once with --adopt to take it over, or delete it.'
    ports.warn(object, 'OtherLedger', `It was granted by ${whose}. ${remedy}`)
  }

  async function close(object: AskedReservation, ending: Ending): Promise<Again> {
    return settle(await objects.show(object, endedStatus({ ...ending, ...momentOf(object) })))
  }

  function momentOf({ generation }: AskedReservation) {
    return { now: now(), index: ports.index(), ledgerId, generation }
  }

  /** Nothing is held any more: the object may be deleted at any time. */
  async function settle(object: AskedReservation): Promise<Again> {
    if (object.isProtected) await objects.letGo(object)
    ports.settled(object.uid)
    return undefined
  }
}
