import {
  ignoring,
  isNotFound,
  type Kind,
  type KubeClient,
  type ListOptions,
  type Ref,
} from '@bourse/kube'
import { CREATOR_LABEL } from '../../../capacity/index.ts'
import { NAMESPACE, SECRET } from '../../../kubernetes/kinds.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import { CERTIFICATE_NAME } from '../liqo/secrets.ts'

export type Leftovers = ReturnType<typeof createLeftovers>

/** Removes what Liqo leaves behind of a denied or deleted slice. Each call may be repeated. */
export function createLeftovers(client: Pick<KubeClient, 'list' | 'delete'>) {
  async function remove(kind: Kind, ref: Ref, signal: AbortSignal): Promise<void> {
    await ignoring(isNotFound, client.delete(kind, ref, { signal }))
  }

  /** Of a kind that is not served there are none: Liqo is gone, or never was. */
  async function removeAll(kind: Kind, options: ListOptions & { signal: AbortSignal }) {
    const listed = await ignoring(isNotFound, client.list(kind, options))
    for (const { metadata } of listed?.items ?? []) await remove(kind, metadata, options.signal)
  }

  return {
    /**
     * The right to run pods, then the pods. By name in any namespace: a slice that hides from us
     * still has them. Only after the slice is denied or gone: before, Liqo recreates the Quota.
     */
    async removePods(user: string, signal: AbortSignal): Promise<void> {
      await removeAll(LIQO.quota, { fieldSelector: `metadata.name=${user}`, signal })
      await removeAll(LIQO.shadowPod, { labelSelector: `${CREATOR_LABEL}=${user}`, signal })
    },
    /** Only of a slice that is over: while it lives Liqo would have to sign another one. */
    removeCertificate: (slice: string, namespace: string, signal: AbortSignal) =>
      remove(SECRET, { name: `${CERTIFICATE_NAME}-${slice}`, namespace }, signal),
    async liqoTenantNamespaces(liqoId: string, signal: AbortSignal): Promise<readonly string[]> {
      const labelSelector = `${LABEL.tenantNamespace}=true,${LABEL.remote}=${liqoId}`
      const { items } = await client.list(NAMESPACE, { labelSelector, signal })
      return items.map(({ metadata }) => metadata.name)
    },
  }
}
