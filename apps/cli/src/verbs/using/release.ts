import type { Which } from '@bourse/client'
import { readCaller } from '../../connection/caller.ts'
import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { show } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationLine } from '../../views/reservation-view.ts'

type Flags = BrokerFlags & Readonly<{ requestId?: string; requester?: string }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('[reservation]', 'id of the reservation')
    .option('--request-id <id>', 'release by request id, even if no answer ever came')
    .option('--requester <cluster>', 'for operators, with --request-id: whose request')
    .addHelpText('after', examples('bourse release rsv-42', 'bourse release --request-id job-7'))
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        const released = await broker.release(whichOf(id, flags))
        if (released.kind === 'tombstoned') return showNothingHeld(flags, terminal)
        return answer(released.reservation, reservationLine)
      }),
    )
}

function whichOf(id: string | undefined, { requestId, requester }: Flags): Which {
  if ((id === undefined) === (requestId === undefined))
    throw new CliError(
      ExitCode.usage,
      'Which reservation?',
      'Give either the id of a reservation or --request-id.',
    )
  if (id !== undefined) return { id }
  return {
    requestId: requestId ?? '',
    ...(requester === undefined ? {} : { requesterID: requester }),
  }
}

/** Names the requester: another requester may hold something under the same request id. */
async function showNothingHeld(flags: Flags, terminal: Terminal): Promise<void> {
  const { requestId, requester, output } = flags
  const caller = await readCaller(flags, terminal)
  const who = requester ?? caller.id
  await show(terminal, output, {
    data: { requestId, tombstoned: true },
    view: () =>
      `Nothing is held for ${requestId} by ${who}; a late request of ${who} with this id will be ` +
      'refused.',
  })
  if (caller.isOperator && requester === undefined)
    terminal.note(`This concerns a request of ${who} itself; to name a cluster, use --requester.`)
}
