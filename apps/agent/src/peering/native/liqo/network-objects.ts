import { isBeingDeleted, type Kind, type KubeObject, type Reflector } from '@bourse/kube'
import { LABEL, LIQO } from './liqo-kinds.ts'
import type { Configuration, GatewayClient, GatewayServer, PublicKey } from './tunnel-objects.ts'

export type NetworkObjects = ReturnType<typeof followNetworks>

/** Keeps a live copy of a kind, and tells of what is news. */
type Follow = <T extends KubeObject>(
  kind: Kind,
  isNews?: (item: T, before: T) => boolean,
) => Reflector<T>

/** A mirror of the objects of tunnels in this cluster, also those made by hand. */
export function followNetworks(follow: Follow) {
  const configurations = follow<Configuration>(LIQO.configuration)
  const servers = follow<GatewayServer>(LIQO.gatewayServer)
  const clients = follow<GatewayClient>(LIQO.gatewayClient)
  const publicKeys = follow<PublicKey>(LIQO.publicKey)
  // Gateways measure all the time: only what people would call a change is one.
  const isNews = (now: Connection, before: Connection) => !isSameToPeople(now, before)
  const connections = follow<Connection>(LIQO.connection, isNews)

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
    ({ metadata }) => metadata.labels?.[LABEL.remote] === liqoId,
  )
  return all.find((one) => !isBeingDeleted(one)) ?? all[0]
}

/** What a gateway says of the tunnel, measured again every few seconds. */
export type Connection = KubeObject<
  unknown,
  Readonly<{
    value?: 'Connected' | 'Connecting' | 'Error' | ''
    latency?: Readonly<{ value?: string; timestamp?: string }>
  }>
>

const UNITS_MS: Readonly<Record<string, number>> = {
  μs: 0.001,
  µs: 0.001,
  us: 0.001,
  ms: 1,
  s: 1_000,
}
/** Coarse, so that a condition does not change with every measurement. */
const STEPS_MS = [1, 5, 10, 20, 50, 100, 200, 500]

/** How fast the other end answers, in words; undefined where it was not measured. */
export function latencyIn({ status }: Connection): string | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(\D+)$/.exec(status?.latency?.value ?? '') ?? []
  const factor = UNITS_MS[unit]
  if (amount === undefined || factor === undefined) return undefined
  const latencyMs = Number(amount) * factor
  const step = STEPS_MS.find((most) => latencyMs < most)
  return step === undefined ? 'in half a second or more' : `within ${step} ms`
}

export function isConnected(connection: Connection | undefined): boolean {
  return connection?.status?.value === 'Connected'
}

export function isSameToPeople(one: Connection, other: Connection): boolean {
  return one.status?.value === other.status?.value && latencyIn(one) === latencyIn(other)
}
