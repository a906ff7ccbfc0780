import { isDeepStrictEqual } from 'node:util'
import type { Reservation } from '@bourse/contract'
import { printable } from '@bourse/contract/printable'
import type { Broker } from '../connection/with-broker.ts'
import { type Output, showNext, type View } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { reservationLine } from './reservation-view.ts'

/** Prints each change of a reservation until it ends, or until Ctrl-C. */
export async function follow(
  broker: Pick<Broker, 'watchReservation'>,
  known: Reservation,
  { terminal, output }: { terminal: Terminal; output: Output },
): Promise<void> {
  // An ended reservation never changes: the loop below would not end.
  if (hasEnded(known)) return
  let last = known
  const { signal } = terminal
  const onTrouble = (error: Error) => terminal.note(`${printable(error.message)} Trying again.`)
  for await (const { reservation } of broker.watchReservation(known.id, { signal, onTrouble })) {
    // Compared whole: the index does not move when only the state of its provider changes.
    if (isDeepStrictEqual(reservation, last)) continue
    await showNext(terminal, output, { data: reservation, view: changeLine(reservation, last) })
    last = reservation
    if (hasEnded(reservation)) return
  }
}

/** Within one phase only the message says what changed: in doubt, about to be withdrawn. */
function changeLine(reservation: Reservation, last: Reservation): View {
  const line = reservationLine(reservation)
  const { phase, message } = reservation.status
  if (phase !== last.status.phase || message === last.status.message) return line
  return (look) => `${line(look)} ${message}.`
}

export function hasEnded({ status }: Reservation): boolean {
  return status.phase === 'Released' || status.phase === 'Failed'
}
