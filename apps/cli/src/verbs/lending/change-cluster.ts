import type { Advertisement } from '@bourse/contract'
import type { ConnectionFlags } from '../../connection/settings.ts'
import { withBroker, withReason } from '../../connection/with-broker.ts'
import { type Output, outputOption, show, type View } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'

type Flags = ConnectionFlags & Readonly<{ output: Output }>

/** These differ in the word alone. */
export function changeCluster(verb: 'cordon' | 'uncordon' | 'decommission'): Define {
  return (command, terminal) => {
    withReason(command)
      .argument('<cluster>', 'id of the cluster')
      .addOption(outputOption())
      .addHelpText('after', examples(`bourse ${verb} paris`))
      .action((clusterId: string, flags: Flags) =>
        withBroker(terminal, flags, async (broker) => {
          const cluster = await broker[verb](clusterId)
          const view = verb === 'decommission' ? offTheBoard(cluster) : clustersView([cluster])
          await show(terminal, flags.output, { data: cluster, view })
        }),
      )
  }
}

/** A row of the table would show it as it last was, as if it were still there. */
function offTheBoard({ clusterID }: Advertisement): View {
  return ({ paint }) => `${paint(clusterID, 'bold')} is off the board.`
}
