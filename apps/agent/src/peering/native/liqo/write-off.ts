import type { KubeClient } from '@bourse/kube'
import { isWrittenOff, UNREACHABLE_ANNOTATION } from './foreign-cluster.ts'
import { FOREIGN_CLUSTER } from './liqo-kinds.ts'
import type { LiqoObjects } from './liqo-objects.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  objects: Pick<LiqoObjects, 'foreignCluster'>
}>

/** Gives a cluster up for dead: Liqo then lets go of what it has there. */
export async function writeOff({ client, objects }: Ports, liqoId: string): Promise<void> {
  const known = objects.foreignCluster(liqoId)
  if (!known || isWrittenOff(known)) return
  const annotations = { [UNREACHABLE_ANNOTATION]: 'true' }
  await client.mergePatch(FOREIGN_CLUSTER, known.metadata, { metadata: { annotations } })
}
