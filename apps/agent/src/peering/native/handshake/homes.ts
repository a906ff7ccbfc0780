import {
  ignoring,
  isBeingDeleted,
  isForbidden,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'
import { NAMESPACE } from '../../../kubernetes/kinds.ts'
import { removeObject } from '../../../kubernetes/make-object.ts'
import { FOREIGN_CLUSTER, PEER_LABEL } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { IdleClock } from './pair-state.ts'
import type { Peers } from './peers.ts'

export type Homes = ReturnType<typeof createHomes>

type Ports = Readonly<{
  client: Pick<KubeClient, 'delete'>
  objects: LiqoObjects
  peers: Pick<Peers, 'of'>
  idle: IdleClock
  /** Whether a reservation, or a handshake, needs or is about to need it. */
  isNeeded(peer: string): boolean
  /** Liqo may see a deletion this late, and then create a ForeignCluster again. */
  quietMs?: number | undefined
}>

const QUIET_MS = 500

/**
 * What is left when two clusters have parted: the tenant namespace, and what Liqo knows of the
 * other one. They go if this agent made the namespace; those made by hand
 * stay.
 * ```
 *   nothing is in it ─► ForeignCluster gone ─► quiet for a while ─► namespace gone
 * ```
 */
export function createHomes(ports: Ports) {
  const { client, objects, peers, idle, isNeeded, quietMs = QUIET_MS } = ports
  return {
    isVacant: (peer: string): boolean => vacant(peer) !== undefined,
    /** True when there is nothing more to do. */
    async leave(peer: string): Promise<boolean> {
      const home = vacant(peer)
      if (!home) {
        idle.busy(keyOf(peer))
        return true
      }
      const known = objects.foreignCluster(peers.of(peer)?.liqoID ?? '')
      if (known) {
        idle.busy(keyOf(peer))
        if (!isBeingDeleted(known)) await removeObject(client, FOREIGN_CLUSTER, known.metadata)
        return false
      }
      if (idle.leftMs(keyOf(peer), quietMs) > 0) return false
      await removeNamespace(home)
      return true
    },
  }

  /** The namespace that this agent made for that cluster, once nothing of either is in it. */
  function vacant(peer: string): KubeObject | undefined {
    const liqoId = peers.of(peer)?.liqoID
    const home = liqoId === undefined ? undefined : objects.liqoTenantNamespace(liqoId)
    if (liqoId === undefined || home?.metadata.labels?.[PEER_LABEL] !== peer) return undefined
    const isFree = !isBeingDeleted(home) && !isNeeded(peer) && !objects.liqoTenant(liqoId)
    return isFree && objects.isEmpty(home.metadata.name, liqoId) ? home : undefined
  }

  async function removeNamespace({ metadata }: KubeObject): Promise<void> {
    const { uid = '' } = metadata
    const preconditions = { uid }
    // Without the right, which comes with its admission policy, the namespace stays, empty.
    await ignoring(isForbidden, removeObject(client, NAMESPACE, metadata, { preconditions }))
  }
}

const keyOf = (peer: string) => `home/${peer}`
