import {
  isBeingDeleted,
  isSameJson,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'
import { makeObject, removeObject } from '../../../kubernetes/make-object.ts'
import { waiting } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { NetworkObjects } from '../liqo/network-objects.ts'
import type { Subnets } from '../liqo/subnets.ts'
import { configuration, isOurs, type Place, peerKey } from '../liqo/tunnel-objects.ts'
import type { Stop } from '../session/messages.ts'
import { TYPE } from './tunnel-state.ts'

export type OwnObjects = ReturnType<typeof createOwnObjects>

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get' | 'delete' | 'mergePatch'>
  networks: NetworkObjects
}>
type Made<T> = Readonly<{ made: T }>

/** What an end is made of here. Each may be repeated; nothing that others made is changed. */
export function createOwnObjects({ client, networks }: Ports) {
  return {
    /** What is behind the other end. */
    behind: (place: Place, subnets: Subnets) =>
      ensure(
        LIQO.configuration,
        networks.configuration(place.liqoId),
        configuration(place, subnets),
      ),
    /** The key of the other end. */
    key: (place: Place, publicKey: string) =>
      ensure(LIQO.publicKey, networks.publicKey(place.liqoId), peerKey(place, publicKey)),
    ensure,
    /** A gateway of ours that is the wrong way round. */
    async remove(kind: Kind, gateway: KubeObject): Promise<Stop> {
      if (!isBeingDeleted(gateway)) await removeObject(client, kind, gateway.metadata)
      return { stop: waiting(TYPE, 'WaitingForLiqo', TURNING) }
    },
  }

  async function ensure<T extends KubeObject>(
    kind: Kind,
    known: T | undefined,
    wanted: T,
  ): Promise<Made<T> | Stop> {
    const there = known ?? (await makeObject(client, kind, wanted))
    const what = `${kind.kind} ${there.metadata.namespace}/${there.metadata.name}`
    if (isBeingDeleted(there))
      return { stop: waiting(TYPE, 'WaitingForLiqo', `${what} is being deleted`) }
    // Liqo adds fields of its own beside ours.
    if (isSameJson(there.spec, { ...Object(there.spec), ...Object(wanted.spec) }))
      return { made: there }
    if (isOurs(there))
      return { made: await client.mergePatch<T>(kind, there.metadata, { spec: wanted.spec }) }
    const message = `${what} was not made by this agent and differs: correct it, or delete it`
    return { stop: waiting(TYPE, `Other${kind.kind}`, message) }
  }
}

const TURNING = 'The tunnel is being rebuilt from the other side'
