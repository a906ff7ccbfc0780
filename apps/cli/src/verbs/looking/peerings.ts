import type { PeeringSession } from '@bourse/contract'
import { Option } from 'commander'
import { readPages } from '../../connection/read-pages.ts'
import { typedCommand } from '../../connection/typed-command.ts'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { peeringsView, peeringView } from '../../views/peering-view.ts'

type Flags = BrokerFlags &
  Readonly<{
    role?: 'requester' | 'provider'
    requester?: string
    provider?: string
    close?: boolean
  }>

/** A bound far above any federation. */
const PEERINGS_MAX = 100_000

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[session]', 'show this one, step by step')
    .addOption(
      new Option('--role <role>', 'only your own, in this role').choices(['requester', 'provider']),
    )
    .option('--requester <cluster>', 'only those of this requester')
    .option('--provider <cluster>', 'only those with this provider')
    .option('--close', 'end this session when its agents can no longer do so')
    .addHelpText(
      'after',
      examples(
        'bourse peerings',
        'bourse peerings --requester rome --provider paris',
        'bourse peerings ps-k7wq2m5xj3c4v6b7n2a5s4d3fg -o yaml',
        'bourse peerings ps-k7wq2m5xj3c4v6b7n2a5s4d3fg --close',
      ),
    )
    .action((id: string | undefined, flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        if (id !== undefined) {
          const session = await broker.getPeering(id)
          await answer(session, peeringView)
          if (!flags.close) return
          await broker.closePeering(id)
          const { requesterID, providerID } = session
          return terminal.note(`Closed. The agents of ${requesterID} and ${providerID} are told.`)
        }
        if (flags.close)
          throw new CliError(
            ExitCode.usage,
            'Which session?',
            `\`${typedCommand(['peerings'], flags, terminal)}\` lists their ids.`,
          )
        const { role, requester, provider } = flags
        const query = {
          ...(role && { role }),
          ...(requester !== undefined && { requesterID: requester }),
          ...(provider !== undefined && { providerID: provider }),
        }
        const { items } = await readPages<PeeringSession>(PEERINGS_MAX, (page) =>
          broker.listPeerings({ ...query, ...page }),
        )
        return answer({ items }, () => peeringsView(items))
      }),
    )
}
