import { createKubeClient, loadConnection, systemPatience } from '@bourse/kube'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import {
  createRetry,
  DEFAULT_RETRY,
  type Patience,
  type RetryPolicy,
} from '../communicator/retry.ts'
import { createKubernetesCommunicator } from './kubernetes-communicator.ts'
import { nameKubeFault } from './name-kube-fault.ts'

export type KubernetesBrokerOptions = Readonly<{
  /** Who calls: the user name of the kubeconfig's credentials, in the group bourse:clusters. */
  clusterId: string
  /** Of the broker's cluster; absent: as kubectl finds one. */
  kubeconfig?: string | undefined
  /** Where this cluster's objects are made. */
  namespace: string
  retry?: Partial<RetryPolicy>
  patience?: Partial<Patience>
  /** What is mended by itself, such as an object that could not be cleared away. */
  onTrouble?(fault: Error): void
}>

/** The broker behind an API server: its objects are the conversation. */
export async function openKubernetesBroker(
  options: KubernetesBrokerOptions,
): Promise<BrokerCommunicator> {
  const { clusterId, namespace, kubeconfig, onTrouble = () => {} } = options
  const patience = { ...systemPatience, ...options.patience }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const client = createKubeClient(await loadConnection({ kubeconfig }), { patience })
  return createKubernetesCommunicator({
    client,
    place: { clusterId, namespace },
    patience,
    persist: createRetry({ policy, patience, name: nameKubeFault }),
    onTrouble,
  })
}
