import type { KubeObject } from '@bourse/kube'
import { REMOTE_LABEL, TENANT_NAMESPACE_LABEL } from '../liqo-kinds.ts'

const PRIVILEGED = 'privileged'

/** Where everything about one other cluster is, by its Liqo id; as Liqo itself would make it. */
export function tenantNamespace(liqoId: string): KubeObject {
  const labels = {
    [REMOTE_LABEL]: liqoId,
    [TENANT_NAMESPACE_LABEL]: 'true',
    'pod-security.kubernetes.io/audit': PRIVILEGED,
    'pod-security.kubernetes.io/enforce': PRIVILEGED,
    'pod-security.kubernetes.io/warn': PRIVILEGED,
  }
  const metadata = { name: `liqo-tenant-${liqoId}`, labels }
  return { apiVersion: 'v1', kind: 'Namespace', metadata }
}
