import { isBeingDeleted, type Kind, type KubeObject, type Reflector } from '@bourse/kube'
import { type Connection, isSameToPeople } from './connection.ts'
import {
  CONFIGURATION,
  CONNECTION,
  GATEWAY_CLIENT,
  GATEWAY_SERVER,
  PUBLIC_KEY,
  REMOTE_LABEL,
} from './liqo-kinds.ts'
import type { Configuration, GatewayClient, GatewayServer, PublicKey } from './tunnel-objects.ts'

export type NetworkObjects = ReturnType<typeof followNetworks>

/** Keeps a live copy of a kind, and tells of what is news. */
type Follow = <T extends KubeObject>(
  kind: Kind,
  isNews?: (item: T, before: T) => boolean,
) => Reflector<T>

/** A mirror of the objects of tunnels in this cluster, also those made by hand. */
export function followNetworks(follow: Follow) {
  const configurations = follow<Configuration>(CONFIGURATION)
  const servers = follow<GatewayServer>(GATEWAY_SERVER)
  const clients = follow<GatewayClient>(GATEWAY_CLIENT)
  const publicKeys = follow<PublicKey>(PUBLIC_KEY)
  // Gateways measure all the time: only what people would call a change is one.
  const isNews = (now: Connection, before: Connection) => !isSameToPeople(now, before)
  const connections = follow<Connection>(CONNECTION, isNews)

  return {
    /** Liqo looks for it in all namespaces, by whom it is about. */
    configuration: (liqoId: string) => about(configurations, liqoId),
    server: (liqoId: string) => about(servers, liqoId),
    client: (liqoId: string) => about(clients, liqoId),
    publicKey: (liqoId: string) => about(publicKeys, liqoId),
    connection: (liqoId: string) => about(connections, liqoId),
    /** Whether there is nothing of a tunnel to that cluster. */
    isFree: (liqoId: string): boolean =>
      [configurations, servers, clients, publicKeys].every(
        (kind: Reflector<KubeObject>) => about(kind, liqoId) === undefined,
      ),
  }
}

/** One that stays, rather than one that is on its way out. */
function about<T extends KubeObject>(reflector: Reflector<T>, liqoId: string): T | undefined {
  const all = [...reflector.items()].filter(
    ({ metadata }) => metadata.labels?.[REMOTE_LABEL] === liqoId,
  )
  return all.find((one) => !isBeingDeleted(one)) ?? all[0]
}
