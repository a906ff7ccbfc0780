import { createKubeClient, loadConnection, systemClock } from '@bourse/kube'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { type Clock, createRetry, DEFAULT_RETRY, type RetryPolicy } from '../communicator/retry.ts'
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
  clock?: Partial<Clock>
  /** What is mended by itself, such as an object that could not be cleared away. */
  onTrouble?(fault: Error): void
}>

/** The broker behind an API server: its objects are the conversation. */
export async function openKubernetesBroker(
  options: KubernetesBrokerOptions,
): Promise<BrokerCommunicator> {
  const { clusterId, namespace, kubeconfig, onTrouble = () => {} } = options
  const clock = { ...systemClock, ...options.clock }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const client = createKubeClient(await loadConnection({ kubeconfig }), { clock })
  return createKubernetesCommunicator({
    client,
    place: { clusterId, namespace },
    clock,
    persist: createRetry({ policy, clock, name: nameKubeFault }),
    onTrouble,
  })
}
