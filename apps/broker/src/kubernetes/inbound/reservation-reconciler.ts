import { priorityNote } from '@bourse/contract'
import {
  type Actor,
  type Command,
  isLive,
  type Outcome,
  type Reservation,
  type ReserveCommand,
  targetOf,
} from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { RequestLimits } from '../../intake/read-request.ts'
import type { Answer } from '../../ledger/writer/ledger-writer.ts'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import { DOOR } from '../objects/kinds.ts'
import { objectActor } from '../objects/object-facts.ts'
import type { AskedReservation } from '../objects/reservation-object.ts'
import {
  delayedStatus,
  type Ending,
  endedStatus,
  reservationStatus,
} from '../objects/reservation-status.ts'
import { ADOPTION } from './adoption.ts'
import type { Delay, ObjectPrice } from './object-price.ts'
import { renewalOf, toReserveCommand } from './reservation-command.ts'
import type { ReservationWrites } from './reservation-writes.ts'
import { createSupplyGrace } from './supply-grace.ts'

type Ports = Readonly<{
  submit(command: Command): Promise<Answer>
  /** What this object led to: live ones, and ended ones until that has been shown. */
  madeFor(uid: string): Reservation | undefined
  /** What the history on disk knows of it. */
  remembered(requester: string, uid: string): Promise<Reservation | undefined>
  /** It ended, and its object says so: it can be forgotten. */
  settled(uid: string): void
  refusalSentence(ranking: Ranking, command: ReserveCommand): Promise<string>
  /** Why this requester gets nothing new; undefined while it may. */
  denied(clusterId: string): string | undefined
  price: ObjectPrice
  /** What finds out by trying what others have free is charged. */
  trials: ObjectTrials
  /** Supply is being read at this moment: "nothing fits" may be wrong a moment later. */
  supplyIsComing(): boolean
  endpointOf(clusterId: string): string | undefined
  objects: ReservationWrites
  warn(object: AskedReservation, reason: string, note: string): void
  ledgerId: string
  limits: RequestLimits
  /** Whether what another broker granted is taken over. */
  adopt: boolean
  index(): number
  now(): number
}>

export type ObjectTrials = Readonly<{
  refused(command: ReserveCommand): void
  released(reservation: Reservation): void
}>

/** A later look, if one is needed. */
type Again = Readonly<{ againAfterMs: number }> | undefined

const SUPPLY_COMING_MS = 50
const NO_LIMITS: RequestLimits = { maxDurationMs: Number.POSITIVE_INFINITY }
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

  /** Deleted before it had its finalizer, or that was torn off. */
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
    if (object.wantedPhase === 'released')
      return end(object, 'Released', 'Released before it was granted')
    const read = toReserveCommand(object, limits)
    if (read.kind === 'bad') return fail(object, 'InvalidRequest', read.sentence)
    const denial = ports.denied(object.spec.requesterID)
    if (denial !== undefined) return fail(object, 'ClusterDenied', denial)
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
        return end(object, 'Released', 'Released before it was granted')
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
    const at = { now: now(), index: ports.index(), ledgerId, generation }
    if (!isTold) await objects.show(object, delayedStatus({ message, ...at }))
    return { againAfterMs: afterMs }
  }

  /** Makes the reservation what the object asks for now, and the object show what it is. */
  async function follow(object: AskedReservation, before: Reservation): Promise<Again> {
    const { reservation, complaint: refused, againAfterMs } = await heed(object, before)
    const note = priorityNote(object.spec.priority, reservation.priority)
    const complaint = [refused, note].filter(Boolean).join('; ')
    const lives = isLive(reservation.phase)
    const { endpointOf } = ports
    const generation = generationShown(object, { lives, isPostponed: againAfterMs !== undefined })
    const showing = { ledgerId, generation, endpointOf, complaint }
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

  type Heeded = Readonly<{ reservation: Reservation; complaint?: string; againAfterMs?: number }>

  async function heed(object: AskedReservation, reservation: Reservation): Promise<Heeded> {
    const { id, phase } = reservation
    if (!isLive(phase)) return { reservation }
    if (object.wantedPhase === 'released') {
      ports.trials.released(reservation)
      return change({ kind: 'release', id, by: objectActor(object) }, reservation)
    }
    const renewed = await renewIfEdited(object, reservation)
    if (object.wantedPhase !== 'active' || phase !== 'Reserved') return renewed
    const activate: Command = { kind: 'activate', id, by: objectActor(object) }
    return { ...renewed, ...(await change(activate, renewed.reservation)) }
  }

  async function renewIfEdited(
    object: AskedReservation,
    reservation: Reservation,
  ): Promise<Heeded> {
    // What was allowed when it was granted stays: only an edit is held against today's limits.
    const asked = toReserveCommand(object, NO_LIMITS)
    const renewal = asked.kind === 'command' ? renewalOf(asked.command, reservation) : undefined
    if (!renewal) return { reservation }
    const allowed = toReserveCommand(object, limits)
    if (allowed.kind === 'bad')
      return { reservation, complaint: `it stays as it was: ${allowed.sentence}` }
    const delay = ports.price(reservation.requester, object.spec)
    if (!delay) return change({ ...renewal, by: objectActor(object) }, reservation)
    const complaint = `it is not renewed yet: ${delay.message}`
    return { reservation, complaint, againAfterMs: delay.afterMs }
  }

  async function change(command: Command, before: Reservation): Promise<Heeded> {
    const { outcome } = await submit(command)
    return { reservation: reservationIn(outcome) ?? before }
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
    return end(object, 'Released', 'Ended so long ago that the ledger no longer knows it')
  }

  /** What another broker granted stays where it is, with amounts counted anew. */
  async function takeOver(object: AskedReservation): Promise<Again> {
    if (!ports.adopt) return warnOfOtherLedger(object)
    const { expiresAt, targetClusterID, phase } = object.shown
    const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now()
    if (leftMs !== undefined && leftMs <= 0) return end(object, 'Expired', 'Its time was over')
    const read = toReserveCommand(object, limits)
    if (read.kind === 'bad') return fail(object, 'InvalidRequest', read.sentence)

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

  function fail(object: AskedReservation, reason: string, message: string): Promise<Again> {
    return close(object, { phase: 'Failed', reason, message })
  }

  function end(object: AskedReservation, reason: string, message: string): Promise<Again> {
    return close(object, { phase: 'Released', reason, message })
  }

  async function close(object: AskedReservation, ending: Ending): Promise<Again> {
    const { generation } = object
    const at = { now: now(), index: ports.index(), ledgerId, generation }
    return settle(await objects.show(object, endedStatus({ ...ending, ...at })))
  }

  /** Nothing is held any more: the object may be deleted at any time. */
  async function settle(object: AskedReservation): Promise<Again> {
    if (object.isProtected) await objects.letGo(object)
    ports.settled(object.uid)
    return undefined
  }
}

/** What was postponed is not observed yet. */
function generationShown(
  { generation, spec, shown }: AskedReservation,
  { lives, isPostponed }: Readonly<{ lives: boolean; isPostponed: boolean }>,
): number {
  if (isPostponed) return shown.observedGeneration ?? 0
  // Filling in the provider makes one more: named at once, it needs no second write.
  return lives && !spec.targetClusterID ? generation + 1 : generation
}

type Past = 'none' | 'over' | 'granted here' | 'granted elsewhere'

/**
 * What its status says of it. Never the truth about what is held, which is the ledger's; but an
 * object that was answered once must not be taken for a new request when the ledger forgets it.
 */
function pastOf({ shown }: AskedReservation, ledgerId: string): Past {
  switch (shown.phase) {
    case undefined:
    case 'Pending':
      return 'none'
    case 'Failed':
    case 'Released':
      return 'over'
    case 'Reserved':
    case 'Active':
      return shown.ledgerID === ledgerId ? 'granted here' : 'granted elsewhere'
  }
}

function reservationIn(outcome: Outcome): Reservation | undefined {
  return 'reservation' in outcome ? outcome.reservation : undefined
}
