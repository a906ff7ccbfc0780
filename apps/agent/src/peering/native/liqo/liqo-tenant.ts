import { apiVersionOf, type KubeObject } from '@bourse/kube'
import { LIQO_TENANT, PEER_LABEL, REMOTE_LABEL } from './liqo-kinds.ts'

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
  const labels = { [REMOTE_LABEL]: spec.clusterID, [PEER_LABEL]: peer }
  return {
    apiVersion: apiVersionOf(LIQO_TENANT),
    kind: LIQO_TENANT.kind,
    metadata: { name: spec.clusterID, namespace, labels },
    spec: { ...spec, authzPolicy: 'KeysExchange' },
  }
}
