import type { Cluster, Reservation } from '@bourse/domain/ledger'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { History } from '../../store/port/history.ts'
import type { Caller } from '../callers/caller.ts'
import { BrokerError } from '../errors/broker-error.ts'

type Found = Readonly<{
  index: number
  reservation: Reservation
  /** What the caller itself advertises, if anything. */
  own: Cluster | undefined
}>
export type ReservationLookup = ReturnType<typeof createReservationLookup>

/** Finds reservations for their parties and operators; for others they do not exist. */
export function createReservationLookup(
  writer: Pick<LedgerWriter, 'read'>,
  history: Pick<History, 'ended'>,
) {
  async function find(id: string, caller: Caller): Promise<Found> {
    const { live, ...at } = await writer.read((view, index) => ({
      index,
      live: view.reservation(id),
      own: view.cluster(caller.id),
    }))
    const reservation = live ?? (await history.ended(id))
    if (!reservation || !concerns(reservation, caller)) throw unknownReservation(id)
    return { ...at, reservation }
  }

  /** For changes and explanations, which are the requester's: a provider may only look. */
  async function findOwn(id: string, caller: Caller): Promise<Found> {
    const found = await find(id, caller)
    const { requester } = found.reservation
    if (!caller.isOperator && requester !== caller.id)
      throw new BrokerError('NotYours', `${id} belongs to ${requester}.`)
    return found
  }
  return { find, findOwn }
}

function unknownReservation(id: string): BrokerError {
  return new BrokerError('ReservationNotFound', `There is no reservation ${id.slice(0, 64)}.`)
}

function concerns({ requester, legs }: Reservation, { id, isOperator }: Caller): boolean {
  return isOperator || requester === id || legs.some(({ clusterId }) => clusterId === id)
}
