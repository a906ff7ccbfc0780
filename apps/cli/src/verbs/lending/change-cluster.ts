import type { Advertisement } from '@bourse/contract'
import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import type { View } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'

type Flags = BrokerFlags & Readonly<{ grace?: string }>

/** The verbs that change one cluster. `withdraw` alone has a flag of its own. */
export function changeCluster(verb: 'cordon' | 'uncordon' | 'withdraw' | 'decommission'): Define {
  return (command, terminal) => {
    withReason(command).argument('<cluster>', 'id of the cluster')
    if (verb === 'withdraw')
      command.option('--grace <duration>', 'how long its reservations may continue (default: none)')
    command
      .addHelpText(
        'after',
        examples(`bourse ${verb} paris${verb === 'withdraw' ? ' --grace 10m' : ''}`),
      )
      .action((clusterId: string, flags: Flags) =>
        withBroker(terminal, flags, async (broker, answer) => {
          const cluster = await broker[verb](clusterId, flags.grace)
          await answer(
            cluster,
            verb === 'decommission' ? removedLine : (one) => clustersView([one]),
          )
        }),
      )
  }
}

/** A row of the table would look as if the cluster were still there. */
function removedLine({ clusterID }: Advertisement): View {
  return ({ paint }) => `${paint(clusterID, 'bold')} was removed.`
}
