import { isBeingDeleted, type KubeClient } from '@bourse/kube'
import { NAMESPACE } from '../../../kubernetes/kinds.ts'
import { makeObject } from '../../../kubernetes/make-object.ts'
import type { LiqoObjects } from './liqo-objects.ts'
import { tenantNamespace } from './liqo-tenant-namespace.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get'>
  objects: Pick<LiqoObjects, 'tenantNamespace'>
}>

/** Another cluster, by both its names. */
export type Neighbour = Readonly<{ peer: string; liqoId: string }>

/** The namespace here for another cluster's things. Undefined while one is on its way out. */
export async function tenantHome(
  { client, objects }: Ports,
  { liqoId, peer }: Neighbour,
): Promise<string | undefined> {
  const known =
    objects.tenantNamespace(liqoId) ??
    (await makeObject(client, NAMESPACE, tenantNamespace(liqoId, peer)))
  return isBeingDeleted(known) ? undefined : known.metadata.name
}
