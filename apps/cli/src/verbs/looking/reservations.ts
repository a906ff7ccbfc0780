import type { Reservation } from '@bourse/contract'
import { Option } from 'commander'
import { readPages } from '../../connection/read-pages.ts'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationsView, reservationView } from '../../views/reservation-view.ts'

type Flags = BrokerFlags &
  Readonly<{ role?: 'requester' | 'provider'; phase?: string; all?: boolean; limit: number }>

const ALL_PHASES = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[reservation]', 'show this one')
    .addOption(
      new Option('--role <role>', 'only your own, in this role').choices(['requester', 'provider']),
    )
    .addOption(
      new Option('--phase <phases>', 'one or more, with commas (default: the live ones)')
        .choices(ALL_PHASES)
        // The broker checks them: commander's choices cannot be combined.
        .argParser((written: string) => written),
    )
    .option('--all', 'also those that have ended')
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 1_000)
    .addHelpText(
      'after',
      examples(
        'bourse reservations',
        'bourse reservations --role provider --phase Active -o wide',
        'bourse reservations rsv-42 -o yaml',
      ),
    )
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        if (id !== undefined) return answer(await broker.getReservation(id), reservationView)
        const { role, limit, all, phase } = flags
        const phases = all ? ALL_PHASES : phase?.split(',')
        const query = { ...(role && { role }), ...(phases && { phases }) }
        const { items, isCut } = await readPages<Reservation>(limit, (page) =>
          broker.listReservations({ ...query, ...page }),
        )
        await answer({ items }, () => reservationsView(items))
        if (isCut) terminal.note(`There are more than ${limit}; --limit shows them.`)
      }),
    )
}
