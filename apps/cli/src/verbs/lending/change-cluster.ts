import type { Advertisement } from '@bourse/contract'
import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import { show, type View } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'

/** These verbs differ only in their name. */
export function changeCluster(verb: 'cordon' | 'uncordon' | 'decommission'): Define {
  return (command, terminal) => {
    withReason(command)
      .argument('<cluster>', 'id of the cluster')
      .addHelpText('after', examples(`bourse ${verb} paris`))
      .action((clusterId: string, flags: BrokerFlags) =>
        withBroker(terminal, flags, async (broker) => {
          const cluster = await broker[verb](clusterId)
          const view = verb === 'decommission' ? removedLine(cluster) : clustersView([cluster])
          await show(terminal, flags.output, { data: cluster, view })
        }),
      )
  }
}

/** A row of the table would look as if the cluster were still there. */
function removedLine({ clusterID }: Advertisement): View {
  return ({ paint }) => `${paint(clusterID, 'bold')} was removed.`
}
