import { type Clock, isBeingDeleted, type Kind, type KubeClient } from '@bourse/kube'
import { removeObject } from '../../../kubernetes/make-object.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { NetworkObjects } from '../liqo/network-objects.ts'
import { readOwnSubnets } from '../liqo/subnets.ts'
import type { ServiceType } from '../liqo/tunnel-objects.ts'
import type { Messages } from '../session/messages.ts'
import type { Network } from './network.ts'
import { createOwnObjects } from './own-objects.ts'
import { createProviderEnd } from './provider-end.ts'
import { createRequesterEnd } from './requester-end.ts'
import { createTunnelState } from './tunnel-state.ts'

type Ports = Readonly<{
  client: KubeClient
  messages: Pick<Messages, 'read' | 'post'>
  objects: Pick<LiqoObjects, 'foreignCluster'>
  networks: NetworkObjects
  liqoNamespace: string
  serviceType: ServiceType
  /** Where requesters reach the gateways of this cluster, if not where Liqo says. */
  gatewayAddress?: string | undefined
  clock: Pick<Clock, 'now'>
}>

/** In the order in which they go: the gateways first, as they use the others. */
const KINDS: readonly Kind[] = [
  LIQO.gatewayClient,
  LIQO.gatewayServer,
  LIQO.publicKey,
  LIQO.configuration,
]

/**
 * Liqo's WireGuard between the gateways of two clusters. Only addresses and public keys cross.
 * ```
 *   requester: hello(subnets) ────────────┐         ┌─► GatewayClient, PublicKey ─► tunnel ─┐
 *   provider:  Configuration, GatewayServer ─► gateway                     PublicKey ◄─────┘
 *                                                           Connection, at both: Connected
 * ```
 */
export function createWireGuard(ports: Ports): Network {
  const { client, networks, liqoNamespace } = ports
  const subnets = () => readOwnSubnets(client, liqoNamespace)
  const tunnel = createTunnelState(ports)
  const shared = { ...ports, own: createOwnObjects(ports), tunnel, subnets }
  return {
    subnets,
    join: createRequesterEnd(shared),
    offer: createProviderEnd(shared),
    standing: (place) => [tunnel.step(place, Infinity)],
    async isThere({ liqoId, namespace }) {
      const isKnown = networks.server(liqoId) ?? networks.client(liqoId)
      if (isKnown && networks.publicKey(liqoId)) return true
      // The copy may be behind what was made a moment ago.
      const counts = await Promise.all(
        [LIQO.gatewayServer, LIQO.gatewayClient, LIQO.publicKey].map(countOf(namespace, liqoId)),
      )
      const [servers = 0, clients = 0, keys = 0] = counts
      return servers + clients > 0 && keys > 0
    },
    async leave(namespace) {
      for (const kind of KINDS) {
        const ours = await client.list(kind, { namespace, labelSelector: LABEL.peer })
        for (const one of ours.items)
          if (!isBeingDeleted(one)) await removeObject(client, kind, one.metadata)
        if (ours.items.length > 0) return false
      }
      return true
    },
  }

  function countOf(namespace: string, liqoId: string) {
    const options = { namespace, labelSelector: `${LABEL.remote}=${liqoId}` }
    return async (kind: Kind) => (await client.list(kind, options)).items.length
  }
}
