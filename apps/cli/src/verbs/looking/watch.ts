import type { StreamEvent } from '@bourse/contract'
import { printable } from '@bourse/contract/printable'
import { Option } from 'commander'
import type { ConnectionFlags } from '../../connection/settings.ts'
import { type Broker, withBroker, withConnection } from '../../connection/with-broker.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { type Output, outputOption, showNext } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { eventView } from '../../views/event-view.ts'

type Flags = ConnectionFlags &
  Readonly<{ output: Output; only?: StreamEvent['kind']; after?: number; count?: number }>

const index = wholeNumber(0, Number.MAX_SAFE_INTEGER)

export const define: Define = (command, terminal) => {
  withConnection(command)
    .addOption(
      new Option('--only <kind>', 'only these').choices(['reservation', 'cluster', 'peering']),
    )
    .option('--after <index>', 'begin after this journal index instead of now', index)
    .option('--count <number>', 'end after so many lines', wholeNumber(1, 1_000_000_000))
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples('bourse watch', 'bourse watch --only reservation -o json | jq .reservation.id'),
    )
    .action((flags: Flags) =>
      withBroker(terminal, flags, (broker) => watch(broker, flags, terminal)),
    )
}

async function watch(broker: Broker, flags: Flags, terminal: Terminal): Promise<void> {
  const { only, after, output, count = Number.POSITIVE_INFINITY } = flags
  const options = {
    signal: terminal.signal,
    onTrouble: (error: Error) => terminal.note(`${printable(error.message)} Trying again.`),
    ...(after === undefined ? {} : { after }),
  }
  // As for every verb: an address where nobody answers is told. Later the stream heals itself.
  await broker.ping()
  let shown = 0
  for await (const event of broker.events(options)) {
    if (only !== undefined && event.kind !== only && event.kind !== 'reset') continue
    await showNext(terminal, output, { data: event, view: eventView(event) })
    shown += 1
    if (shown >= count) return
  }
}
