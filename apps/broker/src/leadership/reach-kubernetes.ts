import type { KubeClient } from '@bourse/kube'
import type { BrokerConfig } from '../config/index.ts'

/** A client of the API server that the flags name, if anything here needs one. */
export async function reachKubernetes(config: BrokerConfig): Promise<KubeClient | undefined> {
  const { kubernetes } = config
  if (!kubernetes) return undefined
  // Loaded only now: what speaks to an API server is of no use to a broker without one.
  const { ConnectionRefused, createKubeClient, loadConnection } = await import('@bourse/kube')
  const connection = await loadConnection(kubernetes).catch((failure: unknown) => {
    throw failure instanceof ConnectionRefused && isForTheLeaseAlone(config)
      ? new ConnectionRefused(`${LEASE_NEEDS_IT} ${failure.message}`, { cause: failure })
      : failure
  })
  return createKubeClient(connection)
}

/** Somebody who chose a database may not expect that an API server is needed as well. */
function isForTheLeaseAlone({ store, objects, anchor }: BrokerConfig): boolean {
  return store.kind === 'postgres' && !objects && anchor?.kind !== 'configmap'
}

const LEASE_NEEDS_IT =
  '--leader-elect elects by a Lease on an API server, also with --store=postgres: give ' +
  '--kubeconfig=FILE, or run one broker without --leader-elect.'
