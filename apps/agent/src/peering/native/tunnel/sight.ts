import type { Clock } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import { isConnected, type NetworkObjects } from '../liqo/network-objects.ts'
import type { Endpoint, Place } from '../liqo/tunnel-objects.ts'
import type { Stop } from '../session/correspondence.ts'
import { stopAt, tunnelStep } from './tunnel-step.ts'

export type Sight = ReturnType<typeof createSight>

type Ports = Readonly<{
  objects: Pick<LiqoObjects, 'foreignCluster'>
  networks: NetworkObjects
  clock: Pick<Clock, 'now'>
}>

/** The state of the tunnel with another cluster, from either side, also of one made by hand. */
export function createSight({ objects, networks, clock }: Ports) {
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
