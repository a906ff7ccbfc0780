import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  currency: 'USD',
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
}

/** Opens a shared store for one task of a tool; `scratch` is a directory that goes afterwards. */
export async function withPlace<T>(
  place: StorePlace,
  task: (store: SharedStore, scratch: string) => Promise<T>,
): Promise<T> {
  await using closing = new AsyncDisposableStack()
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-'))
  closing.defer(() => rmSync(scratch, { recursive: true, force: true }))
  const store = await openPlace(place, scratch, closing)
  closing.defer(store.close)
  // Awaited here: what was opened is closed when this function ends.
  return await task(store, scratch)
}

async function openPlace(
  place: StorePlace,
  dataDir: string,
  closing: AsyncDisposableStack,
): Promise<SharedStore> {
  const settings = REPLAY_SETTINGS
  if (place.kind === 'postgres') return openPostgresStore({ url: place.url, settings })
  const client = createKubeClient(await loadConnection({ kubeconfig: place.kubeconfig }))
  closing.defer(client.close)
  const { namespace = client.namespace } = place
  const crash = (cause: Error) => {
    throw cause
  }
  return openKubernetesStore({ objects: client, namespace, dataDir, settings, crash })
}
