import {
  type Command,
  isLive,
  type Outcome,
  type Reservation,
  type ReserveCommand,
} from '@bourse/domain/ledger'
import type { RequestLimits } from '../../intake/read-request.ts'
import type { Answer } from '../../ledger/writer/ledger-writer.ts'
import { objectActor } from '../objects/object-facts.ts'
import type { AskedReservation } from '../objects/reservation-object.ts'
import type { ObjectPrice } from './object-price.ts'
import { renewalOf, toReserveCommand } from './reservation-command.ts'

export type ChangePorts = Readonly<{
  submit(command: Command): Promise<Answer>
  price: ObjectPrice
  /** What finds out by trying what others have free is charged. */
  trials: ObjectTrials
  limits: RequestLimits
}>

export type ObjectTrials = Readonly<{
  refused(command: ReserveCommand): void
  released(reservation: Reservation): void
}>

type Heeded = Readonly<{ reservation: Reservation; complaint?: string; againAfterMs?: number }>

const NO_LIMITS: RequestLimits = { maxDurationMs: Number.POSITIVE_INFINITY }

/** Makes a reservation that was granted what its object asks for now. */
export function createGrantedChanges({ submit, price, trials, limits }: ChangePorts) {
  return { heed, change }

  async function heed(object: AskedReservation, reservation: Reservation): Promise<Heeded> {
    const { id, phase } = reservation
    if (!isLive(phase)) return { reservation }
    if (object.wantedPhase === 'released') {
      trials.released(reservation)
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
    const delay = price(reservation.requester, object.spec)
    if (!delay) return change({ ...renewal, by: objectActor(object) }, reservation)
    const complaint = `it is not renewed yet: ${delay.message}`
    return { reservation, complaint, againAfterMs: delay.afterMs }
  }

  async function change(command: Command, before: Reservation): Promise<Heeded> {
    const { outcome } = await submit(command)
    return { reservation: reservationIn(outcome) ?? before }
  }
}

export function reservationIn(outcome: Outcome): Reservation | undefined {
  return 'reservation' in outcome ? outcome.reservation : undefined
}
