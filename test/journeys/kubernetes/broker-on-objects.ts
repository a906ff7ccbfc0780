import { join } from 'node:path'
import { defaultPolicy } from '@bourse/domain/placement'
import { createKubeClient, loadConnection } from '@bourse/kube'
import type { ControlPlane } from '@bourse/testkit/control-plane'
import { createMemoryHistory } from '../../../apps/broker/fixtures/store/memory/memory-history.ts'
import { createMemoryJournal } from '../../../apps/broker/fixtures/store/memory/memory-journal.ts'
import { createMemoryNotes } from '../../../apps/broker/fixtures/store/memory/memory-notes.ts'
import type { BrokerConfig } from '../../../apps/broker/src/config/index.ts'
import { createFairShare, type FairShare } from '../../../apps/broker/src/fair-share/index.ts'
import { openKubernetesInterface } from '../../../apps/broker/src/kubernetes/index.ts'
import { openLedger } from '../../../apps/broker/src/ledger/opening/open-ledger.ts'
import { openReplica } from '../../../apps/broker/src/ledger/opening/open-replica.ts'
import { createLog } from '../../../apps/broker/src/log.ts'

const root = new URL('../../../', import.meta.url).pathname

const OBJECTS = '/apis/broker.fluidos.eu/v1alpha1/namespaces/default'

const config = {
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
  policy: defaultPolicy,
  currency: 'USD',
  historyMs: 86_400_000,
  snapshotEvery: 50_000,
  // The ledger asks for these alone.
} as unknown as BrokerConfig

type Store = ReturnType<typeof createStore>

/** What outlives a broker, in memory: several brokers in a row share it. */
export function createStore() {
  return {
    journal: createMemoryJournal(),
    history: createMemoryHistory(),
    notes: createMemoryNotes(),
    notices: [],
    explainAt: async () => undefined,
    trouble: () => undefined,
    noteAddress: async () => {},
    close: async () => {},
  }
}

/** Between two tests on one control plane: nothing is left, finalizers included. */
export async function clearObjects({ kubectl }: ControlPlane): Promise<void> {
  const free = ['--type=merge', '--patch={"metadata":{"finalizers":null}}']
  const held = '{.items[?(@.metadata.finalizers)].metadata.name}'
  const names = (await kubectl(['get', 'rsv', `--output=jsonpath=${held}`])).split(' ')
  for (const name of names.filter(Boolean)) await kubectl(['patch', 'rsv', name, ...free])
  // One call for all of a kind: kubectl would delete and await them one by one.
  for (const plural of ['reservations', 'clusteradvertisements'])
    await kubectl(['delete', `--raw=${OBJECTS}/${plural}`])
}

export const sample = (name: string) => join(root, 'config', 'samples', `${name}.yaml`)

type Options = Readonly<{
  store?: Store
  adopt?: boolean
  httpNamespace?: string
  whyNotLeading?(): string | undefined
  staleAfterMs?: number
  /** What each cluster may ask for; without: as much as it likes. */
  share?: FairShare
}>

export type BrokerOnObjects = Awaited<ReturnType<typeof startBrokerOnObjects>>

/** The ledger with the Kubernetes interface and nothing else, in this process. */
export async function startBrokerOnObjects(
  { adminKubeconfig }: ControlPlane,
  options: Options = {},
) {
  const {
    store = createStore(),
    adopt = false,
    share = createFairShare({}, () => 0),
    ...settings
  } = options
  const { whyNotLeading = () => undefined, httpNamespace = 'default' } = options
  const log = createLog({
    level: process.env.LOG_LEVEL === 'info' ? 'info' : 'error',
    format: 'json',
  })
  const crash = (cause: Error) => {
    throw cause
  }
  const chosen: typeof config = { ...config, ...settings, store: { kind: 'kubernetes', slots: 8 } }
  const replica = await openReplica({ config: chosen, store })
  const heart = await openLedger({
    ...{ config: chosen, store, replica, log, crash },
    whyNotLeading,
    refused: () => {},
    rolledBack: () => {},
    meters: { decided() {}, committed() {}, unsettled() {} },
  })
  const { writer, now, ledgerId, rollback } = heart
  const client = createKubeClient(await loadConnection({ kubeconfig: adminKubeconfig }))
  const { history } = store
  const trials = () => ({ refused() {}, released() {} })
  const admission = () => ({ deny: new Set<string>() })
  const decided = { writer, history, ledgerId, rollback, now, whyNotLeading }
  const opened = await openKubernetesInterface(
    { ...decided, client, admission, share, trials, log },
    { httpNamespace, adopt, maxDurationMs: 30 * 86_400_000 },
  )
  return {
    writer,
    ledgerId,
    rollback,
    client,
    store,
    backlog: opened.backlog,
    trouble: opened.trouble,
    stopInterface: opened.close,
    async stop() {
      await opened.close()
      await heart.close()
      await replica.close()
      await client.close()
    },
  }
}
