import type { LedgerSettings } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { createKubeClient, loadConnection } from '@bourse/kube'
import { openKubernetesStore } from '../kubernetes/kubernetes-store.ts'
import type { SharedStore } from '../port/store.ts'
import { openPostgresStore } from '../postgres/postgres-store.ts'

/** Where a store is that several brokers may share. */
export type StorePlace =
  | Readonly<{ kind: 'kubernetes'; kubeconfig?: string; namespace?: string }>
  | Readonly<{ kind: 'postgres'; url: string }>

/** A ledger that only replays decides nothing: the policy is irrelevant. */
export const REPLAY_SETTINGS: LedgerSettings = {
  policy: defaultPolicy,
  currency: 'EUR',
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
}

/** Opens it for a tool; what has to be closed afterwards is on the stack. */
export async function openPlace(
  place: StorePlace,
  scratch: string,
  closing: AsyncDisposableStack,
): Promise<SharedStore> {
  const settings = REPLAY_SETTINGS
  if (place.kind === 'postgres') {
    const store = await openPostgresStore({ url: place.url, settings })
    closing.defer(store.close)
    return store
  }
  const { kubeconfig, namespace } = place
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  closing.defer(client.close)
  const store = await openKubernetesStore({
    objects: client,
    namespace: namespace ?? client.namespace,
    dataDir: scratch,
    settings,
    crash: (cause) => {
      throw cause
    },
  })
  closing.defer(store.close)
  return store
}
