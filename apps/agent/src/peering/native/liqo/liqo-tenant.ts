import { apiVersionOf, type KubeObject } from '@bourse/kube'
import { PEER_LABEL, REMOTE_LABEL, TENANT } from './liqo-kinds.ts'

/** What the provider's cluster hands out: all of it public. Bytes are base64 of PEM. */
export type AuthParams = Readonly<{
  ca?: string
  signedCRT?: string
  apiServer?: string
  proxyURL?: string
  /** Only with Amazon's IAM: it carries a secret key. */
  awsConfig?: unknown
}>

export type TenantSpec = Readonly<{
  clusterID: string
  publicKey: string
  csr: string
  signature: string
  proxyURL?: string
  authzPolicy?: 'KeysExchange' | 'TolerateNoHandshake'
  /** An operator's word, by liqoctl: nothing new, or nothing at all. */
  tenantCondition?: 'Active' | 'Cordoned' | 'Drained'
}>

export type Tenant = KubeObject<
  TenantSpec,
  Readonly<{ tenantNamespace?: string; authParams?: AuthParams }>
>

type Asked = Readonly<{
  namespace: string
  /** Who asks, by its certificate. */
  peer: string
  spec: Omit<TenantSpec, 'authzPolicy' | 'tenantCondition'>
}>

/** Asks Liqo to verify the requester's signature and to certify its key. */
export function tenant({ namespace, peer, spec }: Asked): Tenant {
  const labels = { [REMOTE_LABEL]: spec.clusterID, [PEER_LABEL]: peer }
  return {
    apiVersion: apiVersionOf(TENANT),
    kind: TENANT.kind,
    metadata: { name: spec.clusterID, namespace, labels },
    spec: { ...spec, authzPolicy: 'KeysExchange' },
  }
}
