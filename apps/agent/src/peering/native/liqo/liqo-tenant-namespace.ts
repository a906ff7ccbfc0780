import type { KubeObject } from '@bourse/kube'
import { PEER_LABEL, REMOTE_LABEL, TENANT_NAMESPACE_LABEL } from './liqo-kinds.ts'

const PRIVILEGED = 'privileged'

/**
 * Where everything about one other cluster is, by its Liqo id; as Liqo itself would make it, but
 * for our mark: with that it goes at the end.
 */
export function tenantNamespace(liqoId: string, peer: string): KubeObject {
  const labels = {
    [REMOTE_LABEL]: liqoId,
    [TENANT_NAMESPACE_LABEL]: 'true',
    [PEER_LABEL]: peer,
    'pod-security.kubernetes.io/audit': PRIVILEGED,
    'pod-security.kubernetes.io/enforce': PRIVILEGED,
    'pod-security.kubernetes.io/warn': PRIVILEGED,
  }
  const metadata = { name: `liqo-tenant-${liqoId}`, labels }
  return { apiVersion: 'v1', kind: 'Namespace', metadata }
}
