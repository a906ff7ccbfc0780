import type { Clock } from '@bourse/kube'
import { reached, type Step, waiting } from '../../port/peering.ts'
import { type ForeignCluster, networkComplaint } from '../liqo/foreign-cluster.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import {
  type Connection,
  isConnected,
  latencyIn,
  type NetworkObjects,
} from '../liqo/network-objects.ts'
import type { Endpoint, Place } from '../liqo/tunnel-objects.ts'
import type { Stop } from '../session/messages.ts'

export const TYPE = 'NetworkReady'
/** A gateway starts within seconds; after this it is a problem. */
export const SLOW_MS = 20_000

export type TunnelState = ReturnType<typeof createTunnelState>

type Ports = Readonly<{
  objects: Pick<LiqoObjects, 'foreignCluster'>
  networks: NetworkObjects
  clock: Pick<Clock, 'now'>
}>

/** The state of the tunnel with another cluster, from either side, also of one made by hand. */
export function createTunnelState({ objects, networks, clock }: Ports) {
  return {
    isUp: ({ liqoId }: Place): boolean => isConnected(networks.connection(liqoId)),
    step,
    /** Undefined when it is up. */
    wait(place: Place): Stop | undefined {
      const ageMs = ageOf(place)
      const seen = step(place, ageMs)
      return seen.status === 'True' ? undefined : stopAt(seen, ageMs)
    },
    /** How long a gateway of this cluster has been there. */
    ageOf,
  }

  function step(place: Pick<Place, 'liqoId' | 'namespace'>, ageMs: number): Step {
    const { liqoId, namespace } = place
    return tunnelStep({
      connection: networks.connection(liqoId),
      foreignCluster: objects.foreignCluster(liqoId),
      endpoint: endpointOf(liqoId),
      namespace,
      ageMs,
    })
  }

  function ageOf({ liqoId }: Pick<Place, 'liqoId'>): number {
    const gateway = networks.client(liqoId) ?? networks.server(liqoId)
    const { creationTimestamp } = gateway?.metadata ?? {}
    return creationTimestamp === undefined ? 0 : clock.now() - Date.parse(creationTimestamp)
  }

  function endpointOf(liqoId: string): Partial<Endpoint> | undefined {
    return networks.client(liqoId)?.spec?.endpoint ?? networks.server(liqoId)?.status?.endpoint
  }
}

type Seen = Readonly<{
  connection: Connection | undefined
  foreignCluster: ForeignCluster | undefined
  /** Where the two meet, as far as it is known here. */
  endpoint: Partial<Endpoint> | undefined
  namespace: string
  /** Since when the two ends could have met. */
  ageMs: number
}>

/** Whether the tunnel is up; if not, which address and port it is about. */
export function tunnelStep(seen: Seen): Step {
  const { connection, foreignCluster } = seen
  const complaint = networkComplaint(foreignCluster)
  if (connection && isConnected(connection) && complaint === undefined) {
    const latency = latencyIn(connection)
    const measured = latency === undefined ? '' : `; the other end answers ${latency}`
    return reached(
      TYPE,
      'Connected',
      `The tunnel through ${placeOf(seen.endpoint)} is up${measured}`,
    )
  }
  const [reason, message] = connection ? notUp(seen, connection, complaint) : notRunning(seen)
  return waiting(TYPE, seen.ageMs < SLOW_MS ? 'WaitingForLiqo' : reason, message)
}

function notUp({ endpoint }: Seen, { status }: Connection, complaint: string | undefined) {
  const why = complaint ?? `Liqo says ${status?.value || 'nothing yet'}`
  const place = placeOf(endpoint)
  const message = `The tunnel through ${place} is not up (${why}): does that port let UDP through?`
  return ['TunnelDown', message] as const
}

function notRunning({ namespace, endpoint }: Seen) {
  const message =
    `The gateway for ${placeOf(endpoint)} in namespace ${namespace} has not reported the tunnel ` +
    'yet: are its pods running?'
  return ['GatewayNotRunning', message] as const
}

export function placeOf({
  addresses = [],
  port,
  protocol = 'UDP',
}: Partial<Endpoint> = {}): string {
  if (addresses.length === 0 || port === undefined) return "Liqo's gateway"
  const hosts = addresses.map((one) => (one.includes(':') ? `[${one}]:${port}` : `${one}:${port}`))
  return `${hosts.join(', ')} (${protocol})`
}

/** Waits, and looks again by itself when waiting becomes trouble. */
export function stopAt(step: Step, ageMs = SLOW_MS): Stop {
  const leftMs = SLOW_MS - ageMs
  return leftMs > 0 ? { stop: step, againAfterMs: leftMs } : { stop: step }
}
