import type { Reservation } from '@bourse/contract'
import { readCaller } from '../../connection/caller.ts'
import {
  type Broker,
  type BrokerFlags,
  withBroker,
  withReason,
} from '../../connection/with-broker.ts'
import { requesterFor } from '../../request/requester.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { show } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationLine } from '../../views/reservation-view.ts'

type Flags = BrokerFlags & Readonly<{ requestId?: string; requester?: string }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('[reservations...]', 'ids of reservations')
    .option('--request-id <id>', 'release by request id, even if no answer ever came')
    .option('--requester <cluster>', 'for operators, with --request-id: whose request')
    .addHelpText(
      'after',
      examples(
        'bourse release rsv-42',
        'bourse release rsv-42 rsv-43 --reason "maintenance"',
        'bourse release --request-id job-7',
      ),
    )
    .action((ids: readonly string[], flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const { requestId } = flags
        if ((ids.length === 0) === (requestId === undefined))
          throw new CliError(
            ExitCode.usage,
            'Which reservation?',
            'Give either ids of reservations or --request-id.',
          )
        return requestId === undefined
          ? releaseAll(broker, ids, flags, terminal)
          : releaseRequest(broker, { ...flags, requestId }, terminal)
      }),
    )
}

/** Those that can be released are, whatever is wrong with the others. */
async function releaseAll(
  broker: Broker,
  ids: readonly string[],
  { output }: Flags,
  terminal: Terminal,
): Promise<void> {
  const released: Reservation[] = []
  const faults: Error[] = []
  for (const id of ids) {
    await broker.release({ id }).then(
      (outcome) => 'reservation' in outcome && released.push(outcome.reservation),
      (fault: Error) => faults.push(fault),
    )
    // Without a broker the next would fail as well.
    if (faults.some(({ name }) => name !== 'BrokerRefused')) break
  }
  const [first] = released
  if (first !== undefined)
    await show(terminal, output, {
      data: ids.length === 1 ? first : { items: released },
      view: (look) => released.map((one) => reservationLine(one)(look)).join('\n'),
    })
  for (const { message } of faults.slice(0, -1)) terminal.note(`bourse: ${message}`)
  const last = faults.at(-1)
  if (last) throw last
}

async function releaseRequest(
  broker: Broker,
  flags: Flags & Readonly<{ requestId: string }>,
  terminal: Terminal,
): Promise<void> {
  const { requestId, output } = flags
  const caller = await readCaller(flags, terminal)
  const requester = await requesterFor(caller, flags, terminal)
  const whose = requester === undefined ? {} : { requesterID: requester }
  const outcome = await broker.release({ requestId, ...whose })
  if (outcome.kind !== 'tombstoned')
    return show(terminal, output, {
      data: outcome.reservation,
      view: reservationLine(outcome.reservation),
    })
  // Names the requester: another may hold something under the same request id.
  const who = requester ?? caller.id
  await show(terminal, output, {
    data: { requestId, tombstoned: true },
    view: () =>
      `Nothing is held for ${requestId} by ${who}; a late request of ${who} with this id will be ` +
      'refused.',
  })
}
