import type { ConnectionFlags } from '../../connection/settings.ts'
import { withBroker, withReason } from '../../connection/with-broker.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'

type Flags = ConnectionFlags & Readonly<{ output: Output; grace?: string }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('<cluster>', 'id of the cluster')
    .option('--grace <duration>', 'how long what it holds may go on (default: no time at all)')
    .addOption(outputOption())
    .addHelpText('after', examples('bourse withdraw paris --grace 10m'))
    .action((clusterId: string, flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const cluster = await broker.withdraw(clusterId, flags.grace)
        await show(terminal, flags.output, { data: cluster, view: clustersView([cluster]) })
      }),
    )
}
