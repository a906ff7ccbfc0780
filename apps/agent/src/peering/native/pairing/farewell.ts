import type { PeeringSession } from '@bourse/contract'
import { isBeingDeleted, type KubeClient, type Patience } from '@bourse/kube'
import { IDENTITY, PEER_LABEL, RESOURCE_SLICE, SECRET } from '../liqo-kinds.ts'
import type { LiqoObjects } from '../liqo-objects.ts'
import { removeObject } from '../make-object.ts'
import type { Identity } from '../objects/identity.ts'
import { SIGNED_NONCE_NAME } from '../objects/secrets.ts'
import { writeOff } from '../write-off.ts'
import type { Correspondence } from './correspondence.ts'
import type { Networks } from './network.ts'
import type { Peers } from './peers.ts'
import type { ProviderObjects } from './provider-objects.ts'

export type Farewell = ReturnType<typeof createFarewell>

type Ports = Readonly<{
  client: Pick<KubeClient, 'delete' | 'mergePatch'>
  objects: LiqoObjects
  own: ProviderObjects
  letters: Correspondence
  peers: Pick<Peers, 'of'>
  networks: Pick<Networks, 'leave'>
  /**
   * Takes back the namespaces that reservations which never ended have left there; tells since when
   * Liqo has been taking away what is still there.
   */
  sweep(liqoId: string): Promise<readonly string[]>
  graceMs: number
  patience: Pick<Patience, 'now'>
}>

/**
 * Un-peers two clusters, in the order that leaves nothing behind on either.
 * ```
 *   requester: slices gone ─► notes swept ─► kubeconfig, Identity gone ─► goodbye
 *   provider:   goodbye ─► Tenant, secrets gone ─► session closed
 * ```
 */
export function createFarewell(ports: Ports) {
  const { client, objects, own, letters, peers, networks } = ports
  return {
    /** The requester leaves. True when there is nothing more that it can do. */
    async leave(peer: string, session: PeeringSession | undefined): Promise<boolean> {
      const liqoId = peers.of(peer)?.liqoID
      const namespace = liqoId && objects.tenantNamespace(liqoId)?.metadata.name
      const known = liqoId && namespace ? objects.identity(namespace, liqoId) : undefined
      if (known?.metadata.labels?.[PEER_LABEL] === peer) {
        // While Liqo still has a way there, on which it deletes them.
        const leaving = isBeingDeleted(known) ? [] : await ports.sweep(liqoId ?? '')
        if (!leaving.some(isAwaited)) await removeIdentity(known)
        return false
      }
      if (liqoId && namespace) {
        // One tunnel serves both directions: it stays while they borrow of us.
        if (!objects.tenant(liqoId) && !(await networks.leave(namespace))) return false
        // Last of all, since it tells a later life that something may be left.
        if (objects.signedNonce(namespace))
          await removeObject(client, SECRET, { name: SIGNED_NONCE_NAME, namespace })
      }
      if (session && session.state !== 'closing') await letters.post(session, 'goodbye', {})
      return true
    },
    /** The provider lets go; `isForced`: the requester is gone for good. */
    async letGo(
      peer: string,
      session: PeeringSession | undefined,
      isForced: boolean,
    ): Promise<boolean> {
      const liqoId = peers.of(peer)?.liqoID
      const namespace = liqoId && objects.tenantNamespace(liqoId)?.metadata.name
      if (liqoId && namespace) {
        const copies = await own.slices(namespace, liqoId)
        if (copies.length > 0 && !isForced) return false
        // First of all: without its rights the requester cannot put back what is taken away.
        if (!(await own.remove(liqoId))) return false
        for (const { metadata } of copies) await removeObject(client, RESOURCE_SLICE, metadata)
        const isNeeded = objects.identity(namespace, liqoId) !== undefined
        if (!isNeeded && !(await networks.leave(namespace))) return false
      }
      if (session) await letters.close(session)
      return true
    },
  }

  function isAwaited(since: string): boolean {
    return ports.patience.now() - Date.parse(since) <= ports.graceMs
  }

  /** After the kubeconfig that Liqo made of it: the next Identity would be given that one. */
  async function removeIdentity({ metadata, spec }: Identity): Promise<void> {
    if (metadata.deletionTimestamp === undefined) return remove('Foreground')
    const waitedMs = ports.patience.now() - Date.parse(metadata.deletionTimestamp)
    // Liqo would wait for ever to take back what it has in a cluster that is no more.
    if (waitedMs > ports.graceMs) await writeOff(ports, spec?.clusterID ?? '')
    if (waitedMs > 2 * ports.graceMs) await remove('Background')

    function remove(propagationPolicy: 'Foreground' | 'Background'): Promise<void> {
      return removeObject(client, IDENTITY, metadata, { propagationPolicy })
    }
  }
}
