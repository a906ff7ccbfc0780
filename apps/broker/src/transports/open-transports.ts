import type { Connections } from '@bourse/daemon/connections'
import type { BrokerConfig } from '../config/index.ts'
import type { ApiPorts, ApiSettings } from '../http/index.ts'
import { type CarrierRefusal, createCarrierLimits } from './relay/carrier-limits.ts'

type Transport = Readonly<{
  name: string
  /** Why no cluster can use it; undefined while clusters can. */
  trouble(): string | undefined
  drain(timeoutMs: number): Promise<void>
}>

/** gRPC and MQTT, which carry the REST API. Each is loaded only if it is configured. */
export async function openTransports(
  ports: ApiPorts &
    Readonly<{ connections: Connections; carrierRefused?(what: CarrierRefusal): void }>,
  settings: ApiSettings,
  { grpc, mqtt }: Pick<BrokerConfig, 'grpc' | 'mqtt'>,
) {
  const limits = createCarrierLimits(ports.carrierRefused && { refused: ports.carrierRefused })
  const { open } = limits
  if (!grpc && !mqtt) return { transports: [], open, waiting: () => 0, drain: async () => {} }
  const { createRelay } = await import('./relay/create-relay.ts')
  const relay = await createRelay(ports, settings)
  const { now, log, connections, share } = ports
  const transports: Transport[] = []
  if (grpc) {
    const { openGrpcServer } = await import('./grpc/open-grpc-server.ts')
    transports.push(await openGrpcServer({ relay, limits, share, now, log, connections }, grpc))
  }
  if (mqtt) {
    const { openMqttDoor } = await import('./mqtt/open-mqtt-door.ts')
    transports.push(await openMqttDoor({ relay, limits, share, now, log }, mqtt))
  }

  return {
    transports: transports as readonly Transport[],
    waiting: relay.waiting,
    open,
    /** Watches end first: the calls that are left end by themselves. */
    async drain(timeoutMs: number): Promise<void> {
      relay.endWatches()
      await Promise.all(transports.map((transport) => transport.drain(timeoutMs)))
      await relay.close()
    },
  }
}
