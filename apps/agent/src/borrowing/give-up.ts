import type { BrokerCommunicator } from '@bourse/client'
import { answerOrTrouble, isTrouble, type Trouble } from './broker-trouble.ts'
import type { RequesterReservations } from './requester-reservations.ts'

type Ports = Readonly<{
  broker: Pick<BrokerCommunicator, 'release'>
  reservations: RequesterReservations
}>

/**
 * Undoes the peering of a reservation, then releases it at the broker; may be repeated.
 * `withdrawing`: the peering is not undone yet. `elsewhere`: another ledger granted the reservation
 * than the one that answers.
 */
export async function giveUp(
  { broker, reservations }: Ports,
  requestId: string,
  id: string | undefined,
): Promise<'released' | 'withdrawing' | 'elsewhere' | Trouble> {
  if (id !== undefined && !(await reservations.withdraw(id))) return 'withdrawing'
  if (id !== undefined && reservations.isElsewhere(id)) return 'elsewhere'
  const answer = await release(broker, requestId, id)
  if (isTrouble(answer)) return answer
  if (id !== undefined && reservations.isElsewhere(id, answer)) return 'elsewhere'
  if (id !== undefined) reservations.noteEnd(id, answer)
  return 'released'
}

/** By the request's id if no reservation is known: the broker then refuses a late request. */
async function release(broker: Ports['broker'], requestId: string, id: string | undefined) {
  const answer = id === undefined ? undefined : await answerOrTrouble(broker.release({ id }))
  const isKnown = answer && !(isTrouble(answer) && answer.reason === 'ReservationNotFound')
  return isKnown ? answer : answerOrTrouble(broker.release({ requestId }))
}
