import type { StreamEvent } from '@bourse/contract'
import { LAST_EVENTS_MAX } from '@bourse/contract/limits'
import { printable } from '@bourse/contract/printable'
import { Option } from 'commander'
import {
  type Broker,
  type BrokerFlags,
  withBroker,
  withConnection,
} from '../../connection/with-broker.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { showNext } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { createEventView, isAdvertisement } from '../../views/event-view.ts'

type Flags = BrokerFlags &
  Readonly<{
    only?: StreamEvent['kind']
    advertisements?: boolean
    after?: number
    last?: number
    count?: number
  }>

const index = wholeNumber(0, Number.MAX_SAFE_INTEGER)

export const define: Define = (command, terminal) => {
  withConnection(command)
    .addOption(
      new Option('--only <kind>', 'only changes of this kind').choices([
        'reservation',
        'cluster',
        'peering',
      ]),
    )
    .option('--advertisements', 'also what clusters advertise, with what has changed')
    .option('--after <index>', 'start after this journal index instead of now', index)
    .addOption(
      new Option('--last <number>', 'begin with the last changes, also of before a restart')
        .argParser(wholeNumber(1, LAST_EVENTS_MAX))
        .conflicts('after'),
    )
    .option('--count <number>', 'stop after this many lines', wholeNumber(1, 1_000_000_000))
    .addHelpText(
      'after',
      examples(
        'bourse watch',
        'bourse watch --last 20',
        'bourse watch --advertisements',
        'bourse watch --only reservation -o json | jq .reservation.id',
      ),
    )
    .action((flags: Flags) =>
      withBroker(terminal, flags, (broker) => watch(broker, flags, terminal)),
    )
}

async function watch(broker: Broker, flags: Flags, terminal: Terminal): Promise<void> {
  const { only, advertisements = false, after, last, output } = flags
  const { count = Number.POSITIVE_INFINITY } = flags
  const viewOf = createEventView()
  const options = {
    signal: terminal.signal,
    onTrouble: (error: Error) => terminal.note(`${printable(error.message)} Trying again.`),
    ...(after === undefined ? {} : { after }),
    ...(last === undefined ? {} : { last }),
  }
  // An address without a broker is an error, as for every verb. Later the stream reconnects.
  await broker.ping()
  let shown = 0
  for await (const event of broker.events(options)) {
    const view = viewOf(event)
    if (only !== undefined && event.kind !== only && event.kind !== 'reset') continue
    // Every cluster advertises again and again: the rest would drown in it.
    if (isAdvertisement(event) && !advertisements) continue
    await showNext(terminal, output, { data: event, view })
    shown += 1
    if (shown >= count) return
  }
}
