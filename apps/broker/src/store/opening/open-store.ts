import type { LedgerSettings } from '@bourse/domain/ledger'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../../config/index.ts'
import { ledgerSettings } from '../../config/ledger-settings.ts'
import { boundHistory } from '../history/bounded-history.ts'
import type { Store } from '../port/store.ts'
import { createExplainer } from '../replay/explainer.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { createScrubber } from './scrubber.ts'

type Ports = Readonly<{
  /** There if the configuration needs one. */
  client: KubeClient | undefined
  log: Logger
  crash(cause: Error): void
  /** Ends waiting for a store that cannot be reached. */
  signal?: AbortSignal | undefined
}>

/** Opens what --store names. Throws `StoreUnusable` or `DamagedJournal`, with a sentence. */
export async function openStore(config: BrokerConfig, ports: Ports): Promise<Store> {
  const store = await openNamed(config, ports)
  return { ...store, history: boundHistory(store.history) }
}

/** Loads no other store for it. */
async function openNamed(config: BrokerConfig, ports: Ports): Promise<Store> {
  const { store, dataDir } = config
  const { client, crash } = ports
  const settings = ledgerSettings(config)
  switch (store.kind) {
    case 'sqlite':
      return openEmbedded(dataDir, settings, crash)
    case 'kubernetes': {
      if (!client) throw new Error('The kubernetes store needs a connection to an API server.')
      const { slots, namespace = client.namespace } = store
      const place = { objects: client, namespace, slots, dataDir }
      const { awaitStore } = await import('./await-store.ts')
      const { openKubernetesStore } = await import('../kubernetes/kubernetes-store.ts')
      return awaitStore(() => openKubernetesStore({ ...place, settings, crash }), ports)
    }
    case 'postgres': {
      const { awaitStore } = await import('./await-store.ts')
      const { openPostgresStore } = await import('../postgres/postgres-store.ts')
      return awaitStore(() => openPostgresStore({ url: store.url, settings }), ports)
    }
  }
}

async function openEmbedded(
  dataDir: string,
  settings: LedgerSettings,
  crash: Ports['crash'],
): Promise<Store> {
  const store = await openSqliteStore({ dataDir, crash })
  const scrubber = createScrubber(store)
  return {
    ...store,
    ...createExplainer({ dataDir, settings }),
    trouble: scrubber.trouble,
    beginChores: scrubber.begin,
    async close() {
      await scrubber.stop()
      await store.close()
    },
  }
}
