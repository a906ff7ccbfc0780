import { createKubeClient, loadConnection, systemClock } from '@bourse/kube'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { type Clock, createRetry, DEFAULT_RETRY, type RetryPolicy } from '../communicator/retry.ts'
import { createKubernetesCommunicator } from './kubernetes-communicator.ts'
import { nameKubeFault } from './name-kube-fault.ts'

export type KubernetesBrokerOptions = Readonly<{
  /** Our id: the user name of the kubeconfig's credentials, in the group bourse:clusters. */
  clusterId: string
  /** Of the broker's cluster; absent: found as kubectl does. */
  kubeconfig?: string | undefined
  /** The namespace of this cluster's objects. */
  namespace: string
  retry?: Partial<RetryPolicy>
  clock?: Partial<Clock>
  /** A failure that is retried, such as of deleting an object. */
  onTrouble?(fault: Error): void
}>

/** A broker behind an API server: the calls are objects. */
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
