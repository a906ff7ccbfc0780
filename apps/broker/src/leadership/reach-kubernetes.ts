import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import type { BrokerConfig } from '../config/index.ts'

/** A client of the API server that the flags name, if anything here needs one. */
export async function reachKubernetes({
  kubernetes,
}: BrokerConfig): Promise<KubeClient | undefined> {
  return kubernetes && createKubeClient(await loadConnection(kubernetes))
}
