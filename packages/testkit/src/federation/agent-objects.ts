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
import { eventually } from '../time/eventually.ts'

type ResourceRequest = KubeObject<ResourceRequestSpec, ResourceRequestStatus>
export type Instruction = KubeObject<
  ProviderInstructionSpec & ReservationInstructionSpec,
  ProviderInstructionStatus & ReservationInstructionStatus
>

export type AgentObjects = Awaited<ReturnType<typeof objectsOf>>

/** The machine may be busy. */
const WITHIN_MS = 120_000

/** Reads the objects of an agent's cluster, and waits for them. */
export async function objectsOf(kubeconfig: string) {
  const connection = await loadConnection({ kubeconfig })
  const client = createKubeClient(connection)

  const list = async (kind: Kind) =>
    (await client.list<Instruction>(kind, { namespace: 'default' })).items
  const request = (name: string) =>
    client.get<ResourceRequest>(resourceRequestKind, name, 'default').catch(() => undefined)

  const until = (
    name: string,
    what: string,
    isSo: (status: ResourceRequestStatus) => boolean,
  ): Promise<ResourceRequestStatus> =>
    eventually(
      `${name}: ${what}`,
      async () => {
        const status = (await request(name))?.status
        return status && isSo(status) ? status : undefined
      },
      WITHIN_MS,
    )

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
    edit: (name: string, spec: object) =>
      client.mergePatch(resourceRequestKind, { name, namespace: 'default' }, { spec }),
    phase: (name: string, phase: ResourceRequestStatus['phase']) =>
      until(name, `it is ${phase}`, (status) => status.phase === phase),
    until,
    /** The ProviderInstruction of this name, once it is as wanted. */
    lends: (name: string, isSo: (instruction: Instruction) => boolean) =>
      eventually(
        `${name} is as wanted`,
        async () => (await list(providerInstructionKind)).find(named(name, isSo)),
        WITHIN_MS,
      ),
    gone: (name: string) =>
      eventually(
        `${name} is gone`,
        async () => ((await request(name)) ? undefined : true),
        WITHIN_MS,
      ),
  }
}

function named(name: string, isSo: (instruction: Instruction) => boolean) {
  return (instruction: Instruction) => instruction.metadata.name === name && isSo(instruction)
}
