import type { BrokerCommunicator, Released, Stamp } from '@bourse/client'
import { answerOrTrouble, isTrouble, type Trouble } from './broker-trouble.ts'

/** By request id if no answer was seen: the broker then refuses a late request with that id. */
export async function releaseRequest(
  broker: Pick<BrokerCommunicator, 'release'>,
  requestId: string,
  id: string | undefined,
): Promise<Released | Stamp | Trouble> {
  if (id === undefined) return answerOrTrouble(broker.release({ requestId }))
  const released = await answerOrTrouble(broker.release({ id }))
  if (!isTrouble(released) || released.reason !== 'ReservationNotFound') return released
  return answerOrTrouble(broker.release({ requestId }))
}
