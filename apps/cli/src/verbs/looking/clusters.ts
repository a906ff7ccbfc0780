import type { Advertisement } from '@bourse/contract'
import { readPages } from '../../connection/read-pages.ts'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { show } from '../../terminal/output.ts'
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
      withBroker(terminal, flags, async (broker) => {
        if (clusterId !== undefined) {
          const cluster = await broker.getCluster(clusterId)
          return show(terminal, flags.output, { data: cluster, view: clusterView(cluster) })
        }
        const { items } = await readPages<Advertisement>(CLUSTERS_MAX, broker.listClusters)
        return show(terminal, flags.output, { data: { items }, view: clustersView(items) })
      }),
    )
}
