import type {
  ProviderInstructionSpec,
  ProviderInstructionStatus,
  ReservationInstructionSpec,
  ReservationInstructionStatus,
  ResourceRequestSpec,
  ResourceRequestStatus,
} from '@bourse/contract/kinds'
import {
  providerInstructionKind,
  reservationInstructionKind,
  resourceRequestKind,
} from '@bourse/contract/kinds'
import { createKubeClient, type Kind, type KubeObject, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'

type ResourceRequest = KubeObject<ResourceRequestSpec, ResourceRequestStatus>
export type Instruction = KubeObject<
  ProviderInstructionSpec & ReservationInstructionSpec,
  ProviderInstructionStatus & ReservationInstructionStatus
>

/** The objects of an agent's cluster, for those who look at them and wait for them. */
export async function objectsOf(kubeconfig: string) {
  const connection = await loadConnection({ kubeconfig })
  const client = createKubeClient(connection)

  const list = async (kind: Kind) =>
    (await client.list<Instruction>(kind, { namespace: 'default' })).items
  const request = (name: string) =>
    client
      .get<ResourceRequest>(resourceRequestKind, name, 'default')
      .then(undefined, () => undefined)

  return {
    client,
    request,
    borrowed: () => list(reservationInstructionKind),
    lent: () => list(providerInstructionKind),
    ask: (name: string, spec: object) =>
      client.create<KubeObject>(resourceRequestKind, {
        apiVersion: 'liqo.io/v1alpha1',
        kind: 'ResourceRequest',
        metadata: { name, namespace: 'default' },
        spec: { cpu: '2', memory: '4Gi', ...spec },
      }),
    remove: (name: string) => client.delete(resourceRequestKind, { name, namespace: 'default' }),
    async phase(
      name: string,
      phase: ResourceRequestStatus['phase'],
    ): Promise<ResourceRequestStatus> {
      const so = async () => {
        const status = (await request(name))?.status
        return status?.phase === phase ? status : undefined
      }
      return eventually(`${name} is ${phase}`, so, 15_000)
    },
    gone: (name: string) =>
      eventually(`${name} is gone`, async () => ((await request(name)) ? undefined : true), 15_000),
  }
}
