import type { Advertisement } from '@bourse/contract'
import { readPages } from '../../connection/read-pages.ts'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { clustersView, clusterView } from '../../views/cluster-view.ts'

/** A bound far above any federation. */
const CLUSTERS_MAX = 200_000

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('[cluster]', 'show this one; the list is for operators')
    .addHelpText(
      'after',
      examples('bourse clusters', 'bourse clusters paris', 'bourse clusters -o wide'),
    )
    .action((clusterId: string | undefined, flags: BrokerFlags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        if (clusterId !== undefined) return answer(await broker.getCluster(clusterId), clusterView)
        const { items } = await readPages<Advertisement>(CLUSTERS_MAX, broker.listClusters)
        return answer({ items }, () => clustersView(items))
      }),
    )
}
