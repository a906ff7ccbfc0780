import type { Reservation } from '@bourse/contract'
import type { Broker } from '../connection/with-broker.ts'
import { type Output, showNext } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { reservationLine } from './reservation-view.ts'

/** Prints each change of a reservation until it has ended or the person has had enough. */
export async function follow(
  broker: Pick<Broker, 'watchReservation'>,
  known: Reservation,
  { terminal, output }: { terminal: Terminal; output: Output },
): Promise<void> {
  // Nothing more will come of it, and the broker would be asked for ever.
  if (hasEnded(known)) return
  let last = known
  const { signal } = terminal
  const onTrouble = (error: Error) => terminal.note(`${error.message} Trying again.`)
  for await (const { reservation } of broker.watchReservation(known.id, { signal, onTrouble })) {
    if (reservation.index === last.index && hasEnded(reservation) === hasEnded(last)) continue
    await showNext(terminal, output, { data: reservation, view: reservationLine(reservation) })
    last = reservation
    if (hasEnded(reservation)) return
  }
}

export function hasEnded({ status }: Reservation): boolean {
  return status.phase === 'Released' || status.phase === 'Failed'
}
