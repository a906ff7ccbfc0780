import { apiVersionOf, isBeingDeleted, type KubeClient, type KubeObject } from '@bourse/kube'
import { NAMESPACE } from '../../../kubernetes/kinds.ts'
import { makeObject } from '../../../kubernetes/make-object.ts'
import { LABEL, LIQO } from './liqo-kinds.ts'
import type { LiqoObjects } from './liqo-objects.ts'

/** What the provider's cluster hands out: all of it public. Bytes are base64 of PEM. */
export type AuthParams = Readonly<{
  ca?: string
  signedCRT?: string
  apiServer?: string
  proxyURL?: string
  /** Only with Amazon's IAM: it carries a secret key. */
  awsConfig?: unknown
}>

export type LiqoTenantSpec = Readonly<{
  clusterID: string
  publicKey: string
  csr: string
  signature: string
  proxyURL?: string
  authzPolicy?: 'KeysExchange' | 'TolerateNoHandshake'
  /** An operator's word, by liqoctl: nothing new, or nothing at all. */
  tenantCondition?: 'Active' | 'Cordoned' | 'Drained'
}>

export type LiqoTenant = KubeObject<
  LiqoTenantSpec,
  Readonly<{ tenantNamespace?: string; authParams?: AuthParams }>
>

type Asked = Readonly<{
  namespace: string
  /** Who asks, by its certificate. */
  peer: string
  spec: Omit<LiqoTenantSpec, 'authzPolicy' | 'tenantCondition'>
}>

/** Asks Liqo to verify the requester's signature and to certify its key. */
export function liqoTenant({ namespace, peer, spec }: Asked): LiqoTenant {
  const labels = { [LABEL.remote]: spec.clusterID, [LABEL.peer]: peer }
  return {
    apiVersion: apiVersionOf(LIQO.tenant),
    kind: LIQO.tenant.kind,
    metadata: { name: spec.clusterID, namespace, labels },
    spec: { ...spec, authzPolicy: 'KeysExchange' },
  }
}

const PRIVILEGED = 'privileged'

/**
 * Where everything about one other cluster is, by its Liqo id; as Liqo itself would make it, but
 * for our mark: with that it goes at the end.
 */
export function liqoTenantNamespace(liqoId: string, peer: string): KubeObject {
  const labels = {
    [LABEL.remote]: liqoId,
    [LABEL.tenantNamespace]: 'true',
    [LABEL.peer]: peer,
    'pod-security.kubernetes.io/audit': PRIVILEGED,
    'pod-security.kubernetes.io/enforce': PRIVILEGED,
    'pod-security.kubernetes.io/warn': PRIVILEGED,
  }
  const metadata = { name: `liqo-tenant-${liqoId}`, labels }
  return { apiVersion: 'v1', kind: 'Namespace', metadata }
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get'>
  objects: Pick<LiqoObjects, 'liqoTenantNamespace'>
}>

/** Another cluster, by both its names. */
export type Neighbour = Readonly<{ peer: string; liqoId: string }>

/** The namespace here for another cluster's things. Undefined while one is on its way out. */
export async function liqoTenantHome(
  { client, objects }: Ports,
  { liqoId, peer }: Neighbour,
): Promise<string | undefined> {
  const known =
    objects.liqoTenantNamespace(liqoId) ??
    (await makeObject(client, NAMESPACE, liqoTenantNamespace(liqoId, peer)))
  return isBeingDeleted(known) ? undefined : known.metadata.name
}
