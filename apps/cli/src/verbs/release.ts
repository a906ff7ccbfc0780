import type { Released, Which } from '@bourse/client'
import type { ConnectionFlags } from '../connection/settings.ts'
import { withBroker, withConnection } from '../connection/with-broker.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { type Output, outputOption, show } from '../terminal/output.ts'
import { reservationLine } from '../views/reservation-view.ts'
import { type Define, examples } from './verb.ts'

type Flags = ConnectionFlags & Readonly<{ output: Output; requestId?: string; requester?: string }>

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[reservation]', 'id of the reservation')
    .option('--request-id <id>', 'release by request id, also where no answer ever came')
    .option('--requester <cluster>', 'for operators, with --request-id: whose request')
    .addOption(outputOption())
    .addHelpText('after', examples('bourse release rsv-42', 'bourse release --request-id job-7'))
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const released = await broker.release(whichOf(id, flags))
        await show(terminal, flags.output, answerOf(released, flags.requestId))
      }),
    )
}

function whichOf(id: string | undefined, { requestId, requester }: Flags): Which {
  if ((id === undefined) === (requestId === undefined))
    throw new CliError(
      ExitCode.usage,
      'Release which one?',
      'Give either the id of a reservation or --request-id.',
    )
  if (id !== undefined) return { id }
  return {
    requestId: requestId ?? '',
    ...(requester === undefined ? {} : { requesterID: requester }),
  }
}

function answerOf(released: Released, requestId: string | undefined) {
  if (released.kind === 'released')
    return { data: released.reservation, view: reservationLine(released.reservation) }
  return {
    data: { requestId, tombstoned: true },
    view: () => `Nothing is held for ${requestId}; a late request with this id will be refused.`,
  }
}
