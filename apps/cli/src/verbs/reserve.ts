import { randomUUID } from 'node:crypto'
import type { ReservationOutcome } from '@bourse/client'
import type { ConnectionFlags } from '../connection/settings.ts'
import { type Broker, withBroker, withConnection } from '../connection/with-broker.ts'
import { type RequestFlags, requestOf, withRequest } from '../request/request-options.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { createPaint } from '../terminal/colours.ts'
import { type Output, outputOption, show } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { follow } from '../views/follow-reservation.ts'
import { rankingTable } from '../views/ranking-view.ts'
import { reservationLine } from '../views/reservation-view.ts'
import { type Define, examples } from './verb.ts'

type Flags = ConnectionFlags &
  RequestFlags &
  Readonly<{ output: Output; requestId?: string; activate?: boolean; watch?: boolean }>

export const define: Define = (command, terminal) => {
  withConnection(withRequest(command))
    .option('--request-id <id>', 'makes repeating safe: the same id finds the same reservation')
    .option('--activate', 'confirm at once that it is in use')
    .option('--watch', 'stay and follow it until it ends')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(
        'bourse reserve --cpu 2 --memory 4Gi --duration 1h',
        'bourse reserve --gpu 1 --priority 10 --target paris',
        'bourse reserve --resource example.com/fpga=1 --request-id job-7 -o json',
      ),
    )
    .action((flags: Flags) =>
      withBroker(terminal, flags, (broker) => reserve(broker, flags, terminal)),
    )
}

async function reserve(broker: Broker, flags: Flags, terminal: Terminal): Promise<void> {
  const { requestId = randomUUID(), output } = flags
  const outcome = await broker
    .requestReservation({ ...requestOf(flags), requestId })
    .then(undefined, (fault: Error) => {
      throw nobodyKnows(fault, requestId)
    })
  if (outcome.kind === 'refused' || outcome.kind === 'tombstoned')
    return refuse(outcome, output, terminal)
  const reservation = flags.activate
    ? await broker.activate(outcome.reservation.id)
    : outcome.reservation
  await show(terminal, output, { data: reservation, view: reservationLine(reservation) })
  if (flags.watch) await follow(broker, reservation, { terminal, output })
  else if (output === 'table' && terminal.isColourful)
    terminal.note(`Try: bourse explain ${reservation.id} · bourse release ${reservation.id}`)
}

/** Without an answer it may or may not be held; with the id, asking again settles it. */
function nobodyKnows(fault: Error, requestId: string): Error {
  if (fault.name !== 'BrokerUnreachable' && fault.name !== 'BrokerBusy') return fault
  return new CliError(
    ExitCode.unreachable,
    fault.message,
    `To find out whether it got through, repeat with --request-id ${requestId}; to give up for ` +
      `good: bourse release --request-id ${requestId}`,
  )
}

/** A program gets the refusal as data; a person the reason for each cluster. Both get the code. */
async function refuse(
  outcome: Extract<ReservationOutcome, { kind: 'refused' | 'tombstoned' }>,
  output: Output,
  terminal: Terminal,
): Promise<void> {
  const isForPeople = output === 'table' || output === 'wide'
  // Of those that were not asked there is nothing to say; the sentence names the one that was.
  const asked = outcome.kind === 'refused' ? outcome.rows : []
  const rows = asked.filter(({ reason }) => reason !== 'NotTheTarget')
  if (!isForPeople) await show(terminal, output, { data: outcome, view: () => '' })
  else if (rows.length > 0)
    terminal.note(`${rankingTable(rows, createPaint(false), output === 'wide')}\n`)
  throw new CliError(
    ExitCode.refused,
    outcome.message,
    outcome.kind === 'refused'
      ? 'Nothing was reserved. `bourse evaluate` shows the ranking for other amounts.'
      : 'Nothing was reserved. Use a new --request-id to ask anew.',
  )
}
