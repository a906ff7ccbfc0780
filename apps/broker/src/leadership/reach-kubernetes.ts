import type { KubeClient } from '@bourse/kube'
import type { BrokerConfig } from '../config/index.ts'

/** A client of the API server that the flags name; undefined if no flag needs one. */
export async function reachKubernetes(config: BrokerConfig): Promise<KubeClient | undefined> {
  const { kubernetes } = config
  if (!kubernetes) return undefined
  // Loaded on demand: a broker without an API server does not need it.
  const { ConnectionRefused, createKubeClient, loadConnection } = await import('@bourse/kube')
  const connection = await loadConnection(kubernetes).catch((failure: unknown) => {
    throw failure instanceof ConnectionRefused && isForTheLeaseAlone(config)
      ? new ConnectionRefused(`${LEASE_NEEDS_IT} ${failure.message}`, { cause: failure })
      : failure
  })
  return createKubeClient(connection)
}

/** An operator who chose a database may not expect that an API server is needed as well. */
function isForTheLeaseAlone({ store, objects, anchor }: BrokerConfig): boolean {
  return store.kind === 'postgres' && !objects && anchor?.kind !== 'configmap'
}

const LEASE_NEEDS_IT =
  '--leader-elect elects by a Lease on an API server, also with --store=postgres: give ' +
  '--kubeconfig=FILE, or run one broker without --leader-elect.'
