import { randomUUID } from 'node:crypto'
import type { Reservation } from '@bourse/contract'
import { priorityNote } from '@bourse/contract/priority-note'
import { nameTurnedAway } from '../../connection/turned-away.ts'
import { typedCommand } from '../../connection/typed-command.ts'
import {
  type Broker,
  type BrokerFlags,
  withBroker,
  withConnection,
} from '../../connection/with-broker.ts'
import { afterLostAnswer } from '../../request/lost-answer.ts'
import { refuseRequest } from '../../request/refuse-request.ts'
import { type RequestFlags, requestOf, withRequest } from '../../request/request-options.ts'
import { withRequester } from '../../request/requester.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { isForPeople, show } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { follow, hasEnded } from '../../views/follow-reservation.ts'
import { reservationLine } from '../../views/reservation-view.ts'

type Flags = BrokerFlags &
  RequestFlags &
  Readonly<{ requestId?: string; activate?: boolean; watch?: boolean }>

export const define: Define = (command, terminal) => {
  withConnection(withRequest(command))
    .option('--request-id <id>', 'makes repeating safe: the same id finds the same reservation')
    .option('--activate', 'confirm at once that it is in use')
    .option('--watch', 'stay and follow it until it ends')
    .addHelpText(
      'after',
      examples(
        'bourse reserve --cpu 2 --memory 4Gi --duration 1h',
        'bourse reserve --gpu 1 --target paris',
        'bourse reserve --resource example.com/fpga=1 --request-id job-7 -o json',
      ),
    )
    .action((flags: Flags) =>
      withBroker(terminal, flags, (broker) => reserve(broker, flags, terminal)),
    )
}

async function reserve(broker: Broker, given: Flags, terminal: Terminal): Promise<void> {
  const { requestId = randomUUID(), output } = given
  const flags = await withRequester(broker, given, terminal)
  const request = { ...requestOf(flags), requestId }
  const outcome = await broker.requestReservation(request).catch(async (lost: Error) => {
    const fault = await nameTurnedAway(lost, flags, terminal)
    throw afterLostAnswer(fault, { ...flags, requestId }, terminal)
  })
  if (outcome.kind === 'refused' || outcome.kind === 'tombstoned')
    return refuseRequest(outcome, flags, terminal)
  // The same request id finds the same reservation, also one that is over.
  const isOver = hasEnded(outcome.reservation)
  const reservation =
    flags.activate && !isOver ? await broker.activate(outcome.reservation.id) : outcome.reservation
  await show(terminal, output, { data: reservation, view: reservationLine(reservation) })
  if (isOver) throw over()
  noteLargestNode(reservation, terminal)
  notePriority(request.priority, reservation.priority, terminal)
  noteEnd(reservation, flags, terminal)
  if (flags.watch) await follow(broker, reservation, { terminal, output })
  else if (output === 'table' && terminal.isColourful) {
    const [explain, release] = ['explain', 'release'].map((verb) =>
      typedCommand([verb, reservation.id], flags, terminal),
    )
    terminal.note(`Try: ${explain}\n     ${release}`)
  }
}

/** Without a duration, the broker decides until when capacity is held. */
function noteEnd({ status }: Reservation, { duration, output }: Flags, terminal: Terminal): void {
  if (duration !== undefined || !isForPeople(output)) return
  const { expiresAt } = status
  const end =
    expiresAt === undefined
      ? 'until it is released'
      : `until ${expiresAt}, as long as the broker holds by default`
  terminal.note(`No --duration was given: held ${end}.`)
}

/** Sums decided: the user may need all of it on one node. */
function noteLargestNode({ largestNode, status }: Reservation, terminal: Terminal): void {
  if (largestNode === undefined) return
  terminal.note(`Note: ${status.message}. --one-node refuses what no node could take.`)
}

function notePriority(asked: unknown, counted: number, terminal: Terminal): void {
  const note = typeof asked === 'number' ? priorityNote(asked, counted) : undefined
  if (note !== undefined) terminal.note(`Note: ${note}.`)
}

function over(): CliError {
  return new CliError(
    ExitCode.refused,
    'The reservation of this request has ended.',
    'Nothing is held. Use another --request-id for a new one.',
  )
}
