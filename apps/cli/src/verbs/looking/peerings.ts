import type { PeeringSession } from '@bourse/contract'
import { Option } from 'commander'
import { readPages } from '../../connection/read-pages.ts'
import {
  type Broker,
  type BrokerFlags,
  withBroker,
  withConnection,
} from '../../connection/with-broker.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { show } from '../../terminal/output.ts'
import type { Terminal } from '../../terminal/terminal.ts'
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
      withBroker(terminal, flags, async (broker) => {
        if (id !== undefined) return showOne(broker, id, { flags, terminal })
        if (flags.close)
          throw new CliError(ExitCode.usage, 'Which session?', '`bourse peerings` lists their ids.')
        const { role, requester, provider } = flags
        const query = {
          ...(role && { role }),
          ...(requester !== undefined && { requesterID: requester }),
          ...(provider !== undefined && { providerID: provider }),
        }
        const { items } = await readPages<PeeringSession>(PEERINGS_MAX, (page) =>
          broker.listPeerings({ ...query, ...page }),
        )
        return show(terminal, flags.output, { data: { items }, view: peeringsView(items) })
      }),
    )
}

async function showOne(
  broker: Broker,
  id: string,
  { flags, terminal }: { flags: Flags; terminal: Terminal },
): Promise<void> {
  const session = await broker.getPeering(id)
  await show(terminal, flags.output, { data: session, view: peeringView(session) })
  if (!flags.close) return
  await broker.closePeering(id)
  terminal.note(`Closed. The agents of ${session.requesterID} and ${session.providerID} are told.`)
}
