import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import { show } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'

type Flags = BrokerFlags & Readonly<{ grace?: string }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('<cluster>', 'id of the cluster')
    .option('--grace <duration>', 'how long its reservations may continue (default: none)')
    .addHelpText('after', examples('bourse withdraw paris --grace 10m'))
    .action((clusterId: string, flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const cluster = await broker.withdraw(clusterId, flags.grace)
        await show(terminal, flags.output, { data: cluster, view: clustersView([cluster]) })
      }),
    )
}
