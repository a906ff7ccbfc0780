import type { Reservation } from '@bourse/contract'
import { InvalidArgumentError, Option } from 'commander'
import { readPages } from '../../connection/read-pages.ts'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationsView, reservationView } from '../../views/reservation-view.ts'

type Flags = BrokerFlags &
  Readonly<{
    role?: 'requester' | 'provider'
    requester?: string
    provider?: string
    phase?: readonly string[]
    all?: boolean
    limit: number
  }>

const ALL_PHASES = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[reservation]', 'show this one')
    .addOption(
      new Option('--role <role>', 'only your own, in this role').choices(['requester', 'provider']),
    )
    .option('--requester <cluster>', 'only those of this requester')
    .option('--provider <cluster>', 'only those on this provider')
    .addOption(
      new Option('--phase <phases>', 'one or more, with commas (default: the live ones)')
        .choices(ALL_PHASES)
        // Commander's own choices cannot be combined.
        .argParser(readPhases),
    )
    .option('--all', 'also those that have ended')
    .option('--limit <count>', 'how many at most', wholeNumber(1, 1_000_000), 1_000)
    .addHelpText(
      'after',
      examples(
        'bourse reservations',
        'bourse reservations --provider paris --phase active,reserved -o wide',
        'bourse reservations rsv-42 -o yaml',
      ),
    )
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        if (id !== undefined) return answer(await broker.getReservation(id), reservationView)
        const { role, requester, provider, limit, all, phase } = flags
        const phases = all ? ALL_PHASES : phase
        // Every cluster id is in lower case.
        const query = {
          ...(role && { role }),
          ...(requester !== undefined && { requesterID: requester.toLowerCase() }),
          ...(provider !== undefined && { providerID: provider.toLowerCase() }),
          ...(phases && { phases }),
        }
        const { items, isCut } = await readPages<Reservation>(limit, (page) =>
          broker.listReservations({ ...query, ...page }),
        )
        await answer({ items }, () => reservationsView(items))
        if (isCut) terminal.note(`There are more than ${limit}; --limit shows them.`)
      }),
    )
}

/** In any case: `active,Reserved`. */
function readPhases(written: string): readonly string[] {
  return written.split(',').map((word) => {
    const phase = ALL_PHASES.find((one) => one.toLowerCase() === word.trim().toLowerCase())
    if (phase === undefined)
      throw new InvalidArgumentError(`'${word}' is not one of ${ALL_PHASES.join(', ')}.`)
    return phase
  })
}
