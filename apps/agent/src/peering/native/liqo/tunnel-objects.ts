import { apiVersionOf, type Kind, type KubeObject } from '@bourse/kube'
import { LABEL, LIQO } from './liqo-kinds.ts'
import type { Subnets } from './subnets.ts'

type Reference = Readonly<{ name?: string; namespace?: string }>
export type Endpoint = Readonly<{
  addresses: readonly string[]
  port: number
  protocol?: string | undefined
}>
type Cidrs = Readonly<{
  cidr?: Readonly<{ pod?: readonly string[]; external?: readonly string[] }>
}>

export type Configuration = KubeObject<
  Readonly<{ remote?: Cidrs; local?: unknown }>,
  Readonly<{ remote?: Cidrs }>
>
export type GatewayServer = KubeObject<
  Readonly<{
    mtu: number
    endpoint: Readonly<{ port: number; serviceType: ServiceType }>
    serverTemplateRef: object
  }>,
  Readonly<{ endpoint?: Partial<Endpoint>; secretRef?: Reference }>
>
export type GatewayClient = KubeObject<
  Readonly<{ mtu: number; endpoint: Endpoint; clientTemplateRef: object }>,
  Readonly<{ secretRef?: Reference }>
>
/** The key is base64 of 32 bytes, as WireGuard has it. */
export type PublicKey = KubeObject<Readonly<{ publicKey?: string }>>

/** Whom it is with, and where everything about that cluster is. */
export type Place = Readonly<{ namespace: string; liqoId: string; peer: string }>

export type ServiceType = 'LoadBalancer' | 'NodePort' | 'ClusterIP'

/** Liqo's own defaults. */
export const MTU = 1_340
const PORT = 51_840
/**
 * The same in every tenant namespace: Liqo puts a gateway's keys into a Secret `gw-<its name>`, so
 * that the agent can be allowed to read this one, and no others.
 */
const GATEWAY_NAME = 'bourse'

/** What is behind the other end; Liqo maps it to addresses that are free here. */
export function configuration(
  place: Place,
  { podCIDRs: pod, externalCIDRs: external }: Subnets,
): Configuration {
  return object(LIQO.configuration, place, { remote: { cidr: { pod, external } } })
}

export function gatewayServer(
  place: Place,
  { serviceType, liqoNamespace }: Readonly<{ serviceType: ServiceType; liqoNamespace: string }>,
): GatewayServer {
  return named(
    object(LIQO.gatewayServer, place, {
      mtu: MTU,
      endpoint: { port: PORT, serviceType },
      serverTemplateRef: template('WgGatewayServerTemplate', 'wireguard-server', liqoNamespace),
    }),
  )
}

type Server = Readonly<{ endpoint: Endpoint; mtu: number; liqoNamespace: string }>

export function gatewayClient(place: Place, { endpoint, mtu, liqoNamespace }: Server) {
  const { addresses, port, protocol = 'UDP' } = endpoint
  const made: GatewayClient = object(LIQO.gatewayClient, place, {
    mtu,
    endpoint: { addresses, port, protocol },
    clientTemplateRef: template('WgGatewayClientTemplate', 'wireguard-client', liqoNamespace),
  })
  return named(made)
}

/** The key that the other end speaks with. */
export function peerKey(place: Place, publicKey: string): PublicKey {
  const made = object(LIQO.publicKey, place, { publicKey })
  const labels = { ...made.metadata.labels, 'networking.liqo.io/gateway-resource': 'true' }
  return { ...made, metadata: { ...made.metadata, labels } }
}

/** Whether this agent made it; what others made is used, and never changed. */
export function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABEL.peer] !== undefined
}

function object<S extends object>(kind: Kind, place: Place, spec: S) {
  const { namespace, liqoId, peer } = place
  const labels = { [LABEL.remote]: liqoId, [LABEL.peer]: peer }
  const metadata = { name: liqoId, namespace, labels }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec }
}

function named<T extends KubeObject>(gateway: T): T {
  return { ...gateway, metadata: { ...gateway.metadata, name: GATEWAY_NAME } }
}

function template(kind: string, name: string, namespace: string) {
  return { apiVersion: apiVersionOf(LIQO.gatewayServer), kind, name, namespace }
}
