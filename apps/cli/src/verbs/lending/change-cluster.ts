import type { Advertisement } from '@bourse/contract'
import { GRACE_DEFAULT } from '@bourse/contract/limits'
import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import type { View } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView } from '../../views/cluster-view.ts'
import { confirmEnding } from './confirm-ending.ts'

type Flags = BrokerFlags & Readonly<{ grace?: string; yes?: boolean }>

/** The verbs that change one cluster. Those that end something want a yes first. */
export function changeCluster(verb: 'cordon' | 'uncordon' | 'withdraw' | 'decommission'): Define {
  return (command, terminal) => {
    withReason(command).argument('<cluster>', 'id of the cluster')
    if (verb === 'withdraw')
      command.option('--grace <duration>', 'how long its reservations may continue', GRACE_DEFAULT)
    const isEnding = verb === 'withdraw' || verb === 'decommission'
    if (isEnding) command.option('-y, --yes', 'do it without being asked')
    command
      .addHelpText(
        'after',
        examples(`bourse ${verb} paris${verb === 'withdraw' ? ' --grace 10m' : ''}`),
      )
      .action((clusterId: string, flags: Flags) =>
        withBroker(terminal, flags, async (broker, answer) => {
          if (isEnding) await confirmEnding(broker, { ...flags, verb, clusterId }, terminal)
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
