import type { Connections } from '@bourse/daemon/connections'
import type { BrokerConfig } from '../config/index.ts'
import type { ApiPorts, ApiSettings } from '../http/index.ts'
import { type CarrierRefusal, createCarrierLimits } from './relay/carrier-limits.ts'

type Settings = ApiSettings & Pick<BrokerConfig, 'grpc' | 'mqtt'>
type Door = Readonly<{
  name: string
  /** Why nobody can come in; undefined while they can. */
  trouble(): string | undefined
  drain(timeoutMs: number): Promise<void>
}>

/** The doors that carry the REST API in another way. Nothing of them is loaded unless asked for. */
export async function openRelayedDoors(
  ports: ApiPorts &
    Readonly<{ connections: Connections; carrierRefused?(what: CarrierRefusal): void }>,
  settings: Settings,
) {
  const { grpc, mqtt } = settings
  const limits = createCarrierLimits(ports.carrierRefused && { refused: ports.carrierRefused })
  const { open } = limits
  if (!grpc && !mqtt) return { doors: [], open, waiting: () => 0, drain: async () => {} }
  const { createRelay } = await import('./relay/create-relay.ts')
  const relay = await createRelay(ports, settings)
  const { now, log, connections, share } = ports
  const beside = { relay, limits, share, now, log, connections }
  const doors: Door[] = []
  if (grpc) {
    const { openGrpcDoor } = await import('./grpc/open-grpc-door.ts')
    doors.push(await openGrpcDoor(beside, grpc))
  }
  if (mqtt) {
    const { openMqttDoor } = await import('./mqtt/open-mqtt-door.ts')
    doors.push(await openMqttDoor(beside, mqtt))
  }

  return {
    doors: doors as readonly Door[],
    waiting: relay.waiting,
    open,
    /** Watches end first, so that what is left are calls that have an end. */
    async drain(timeoutMs: number): Promise<void> {
      relay.endWatches()
      await Promise.all(doors.map((door) => door.drain(timeoutMs)))
      await relay.close()
    },
  }
}
