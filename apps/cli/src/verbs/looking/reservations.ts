import type { Reservation } from '@bourse/contract'
import { Option } from 'commander'
import { readPages } from '../../connection/read-pages.ts'
import type { ConnectionFlags } from '../../connection/settings.ts'
import { type Broker, withBroker, withConnection } from '../../connection/with-broker.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationsView, reservationView } from '../../views/reservation-view.ts'

type Flags = ConnectionFlags &
  Readonly<{
    output: Output
    role?: 'requester' | 'provider'
    phase?: string
    all?: boolean
    limit: number
  }>

const ALL_PHASES = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[reservation]', 'show this one')
    .addOption(new Option('--role <role>', 'own ones as').choices(['requester', 'provider']))
    .addOption(
      new Option('--phase <phases>', 'one or more with commas between (default: the live ones)')
        .choices(ALL_PHASES)
        // The broker knows them, and says which one is none; several are no choice of commander's.
        .argParser((written: string) => written),
    )
    .option('--all', 'also those that have ended')
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 1_000)
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(
        'bourse reservations',
        'bourse reservations --role provider --phase Active -o wide',
        'bourse reservations rsv-42 -o yaml',
      ),
    )
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, (broker) =>
        id === undefined ? list(broker, flags, terminal) : showOne(broker, id, { flags, terminal }),
      ),
    )
}

async function list(broker: Broker, flags: Flags, terminal: Terminal): Promise<void> {
  const phases = flags.all ? ALL_PHASES : flags.phase?.split(',')
  const query = { ...(flags.role ? { role: flags.role } : {}), ...(phases ? { phases } : {}) }
  const { items, isCut } = await readPages<Reservation>(flags.limit, (page) =>
    broker.listReservations({ ...query, ...page }),
  )
  await show(terminal, flags.output, { data: { items }, view: reservationsView(items) })
  if (isCut) terminal.note(`There are more than ${flags.limit}; --limit shows them.`)
}

async function showOne(
  broker: Broker,
  id: string,
  { flags, terminal }: { flags: Flags; terminal: Terminal },
): Promise<void> {
  const reservation = await broker.getReservation(id)
  await show(terminal, flags.output, { data: reservation, view: reservationView(reservation) })
}
