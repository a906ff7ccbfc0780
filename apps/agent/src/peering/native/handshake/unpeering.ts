import type { PeeringSession } from '@bourse/contract'
import {
  type Clock,
  ignoring,
  isBeingDeleted,
  isForbidden,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'
import { NAMESPACE, SECRET } from '../../../kubernetes/kinds.ts'
import { removeObject } from '../../../kubernetes/make-object.ts'
import { writeOff } from '../liqo/foreign-cluster.ts'
import type { Identity } from '../liqo/identity.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import { reservationOf } from '../liqo/resource-slice.ts'
import { SIGNED_NONCE_NAME } from '../liqo/secrets.ts'
import type { Messages } from '../session/messages.ts'
import type { Networks } from '../tunnel/network.ts'
import type { IdleClock, Place } from './pair-state.ts'
import { type Peers, placeOf } from './peers.ts'
import type { ProviderObjects } from './provider-objects.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'delete' | 'mergePatch'>
  objects: LiqoObjects
  own: ProviderObjects
  messages: Messages
  peers: Pick<Peers, 'of'>
  networks: Pick<Networks, 'leave'>
  idle: IdleClock
  /** Takes back the namespaces of reservations that never ended; true while that is awaited. */
  sweep(liqoId: string): Promise<boolean>
  /** Whether a reservation, or a handshake, needs or is about to need the tenant namespace. */
  isNeeded(peer: string): boolean
  graceMs: number
  /** Liqo may see a deletion this late, and then create a ForeignCluster again. */
  quietMs?: number | undefined
  clock: Pick<Clock, 'now'>
}>

const QUIET_MS = 500

/**
 * Un-peers two clusters, in the order that leaves nothing behind on either.
 * ```
 *   requester: slices gone ─► needs swept ─► kubeconfig, Identity gone ─► goodbye ─► namespace gone
 *   provider:  goodbye ─► Tenant, namespaces, secrets, tenant namespace gone ─► session closed
 * ```
 */
export function createUnpeering(ports: Ports) {
  const { client, objects, own, messages, networks, peers, idle, quietMs = QUIET_MS } = ports
  return {
    /** The requester leaves. True when there is nothing more that it can do. */
    async leave(peer: string, session: PeeringSession | undefined): Promise<boolean> {
      const place = placeOf(ports, peer)
      const known = place && objects.identity(place.namespace, place.liqoId)
      if (known?.metadata.labels?.[LABEL.peer] === peer) {
        // Before the Identity goes: Liqo needs it to delete them there.
        const isAwaited = !isBeingDeleted(known) && (await ports.sweep(place?.liqoId ?? ''))
        if (!isAwaited) await removeIdentity(known)
        return false
      }
      if (place) {
        const { liqoId, namespace } = place
        // One tunnel serves both directions: it stays while they borrow from us.
        if (!objects.liqoTenant(liqoId) && !(await networks.leave(namespace))) return false
        // Last of all, since it tells a later run that something may be left.
        if (objects.signedNonce(namespace)) {
          await removeObject(client, SECRET, { name: SIGNED_NONCE_NAME, namespace })
          return false
        }
      }
      if (session && session.state !== 'closing') await messages.post(session, 'goodbye', {})
      return leaveNamespace(peer)
    },
    /** The provider lets go; `isForced`: the requester is gone for good. */
    async letGo(
      peer: string,
      session: PeeringSession | undefined,
      isForced: boolean,
    ): Promise<boolean> {
      const place = placeOf(ports, peer)
      if (place && !(await evict(peer, place, isForced))) return false
      if (!(await leaveNamespace(peer))) return false
      if (session) await messages.close(session)
      return true
    },
    /** Whether only the tenant namespace is left, and may go. */
    isNamespaceLeft: (peer: string): boolean => emptyNamespaceOf(peer) !== undefined,
  }

  /** All that a requester has here; true when nothing is left of it. */
  async function evict(peer: string, { liqoId, namespace }: Place, isForced: boolean) {
    const copies = await own.slices(namespace, liqoId)
    // A peering made by hand may have other slices, which stay.
    const isByHand = own.stranger(peer, liqoId) !== undefined
    const slices = isByHand ? copies.filter(({ metadata }) => reservationOf(metadata.name)) : copies
    if (slices.length > 0 && !isForced) return false
    // First of all: without its rights the requester cannot put back what is taken away.
    if (!isByHand && !(await own.remove(liqoId, namespace))) return false
    for (const { metadata } of slices) await removeObject(client, LIQO.resourceSlice, metadata)
    if (isByHand) return true
    if (!(await own.removeNamespaces(namespace, liqoId))) return false
    const isNeeded = objects.identity(namespace, liqoId) !== undefined
    if (!isNeeded && !(await networks.leave(namespace))) return false
    if (objects.nonce(namespace)) await own.forget(namespace)
    return objects.nonce(namespace) === undefined
  }

  /** After the kubeconfig that Liqo made of it: the next Identity would be given that one. */
  async function removeIdentity({ metadata, spec }: Identity): Promise<void> {
    if (metadata.deletionTimestamp === undefined) return remove('Foreground')
    const waitedMs = ports.clock.now() - Date.parse(metadata.deletionTimestamp)
    // Liqo would wait for ever to take back what it has in a cluster that is no more.
    if (waitedMs > ports.graceMs) await writeOff(ports, spec?.clusterID ?? '')
    if (waitedMs > 2 * ports.graceMs) await remove('Background')

    function remove(propagationPolicy: 'Foreground' | 'Background'): Promise<void> {
      return removeObject(client, LIQO.identity, metadata, { propagationPolicy })
    }
  }

  /**
   * The tenant namespace, and what Liqo knows of the other cluster; true when nothing more is to
   * do. First the ForeignCluster, then, after a quiet while, the namespace.
   */
  async function leaveNamespace(peer: string): Promise<boolean> {
    const namespace = emptyNamespaceOf(peer)
    const known = namespace && objects.foreignCluster(peers.of(peer)?.liqoID ?? '')
    if (!namespace || known) idle.busy(idleKeyOf(peer))
    if (!namespace) return true
    if (known) {
      if (!isBeingDeleted(known)) await removeObject(client, LIQO.foreignCluster, known.metadata)
      return false
    }
    if (idle.leftMs(idleKeyOf(peer), quietMs) > 0) return false
    const { uid = '' } = namespace.metadata
    const removed = removeObject(client, NAMESPACE, namespace.metadata, { preconditions: { uid } })
    // Without the right, which comes with its admission policy, the namespace stays, empty.
    await ignoring(isForbidden, removed)
    return true
  }

  /** Only one that this agent made, and once nothing of either cluster is in it. */
  function emptyNamespaceOf(peer: string): KubeObject | undefined {
    const liqoId = peers.of(peer)?.liqoID
    const found = liqoId === undefined ? undefined : objects.liqoTenantNamespace(liqoId)
    if (liqoId === undefined || found?.metadata.labels?.[LABEL.peer] !== peer) return undefined
    const isFree = !isBeingDeleted(found) && !ports.isNeeded(peer) && !objects.liqoTenant(liqoId)
    return isFree && objects.isEmpty(found.metadata.name, liqoId) ? found : undefined
  }
}

const idleKeyOf = (peer: string) => `namespace/${peer}`
