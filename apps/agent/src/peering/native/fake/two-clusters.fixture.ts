import type { BrokerPeerings } from '@bourse/client'
import type { PeeringNetworking } from '@bourse/contract'
import type { Clock, Kind, KubeClient, KubeObject } from '@bourse/kube'
import type { ObjectEvents } from '../../../kubernetes/events.ts'
import { NAMESPACE, NODE, SECRET } from '../../../kubernetes/kinds.ts'
import type { BorrowedReservation, Peering } from '../../port/peering.ts'
import {
  CONFIGURATION,
  CONNECTION,
  FOREIGN_CLUSTER,
  GATEWAY_CLIENT,
  GATEWAY_SERVER,
  IDENTITY,
  LIQO_QUOTA,
  LIQO_TENANT,
  LIQO_TENANT_NAMESPACE_LABEL,
  NAMESPACE_MAP,
  NAMESPACE_OFFLOADING,
  PUBLIC_KEY,
  RESOURCE_SLICE,
  VIRTUAL_NODE,
} from '../liqo/liqo-kinds.ts'
import { createFakeLiqos, type Issue } from './fake-liqo.fixture.ts'
import { createMemoryCluster } from './memory-cluster.fixture.ts'
import { aPeer, heldFor, untilDone } from './peers.fixture.ts'
import { createSessionDesk } from './session-desk.fixture.ts'

type Times = Readonly<{ lingerMs?: number; graceMs?: number }>
type Options = Times &
  Readonly<{
    issue: Issue
    apiServerUrl?: string
    objectEvents?: Pick<ObjectEvents, 'tell'>
    networking?: Partial<Record<City, PeeringNetworking>>
    /** Of both agents. */
    clock?: Clock
  }>
type Ports = Readonly<{ client: KubeClient; broker: BrokerPeerings; clock?: Clock }>
const TUNNEL = [CONFIGURATION, CONNECTION, GATEWAY_CLIENT, GATEWAY_SERVER, PUBLIC_KEY]
export type City = 'rome' | 'paris'

type Held = ReturnType<typeof heldFor>

const { signal } = new AbortController()
const OF_BORROWING = [IDENTITY, RESOURCE_SLICE, VIRTUAL_NODE, NAMESPACE_OFFLOADING]
const OF_LENDING = [LIQO_TENANT, LIQO_QUOTA, NAMESPACE_MAP]
const OF_PAIRS = [NAMESPACE, FOREIGN_CLUSTER]
const lenderOf = ({ provider }: BorrowedReservation): City =>
  provider === 'rome' ? 'rome' : 'paris'
const borrowerOf = ({ provider }: BorrowedReservation): City =>
  provider === 'rome' ? 'paris' : 'rome'

/** rome borrows of paris, or paris of rome: a fake Liqo in each, a broker that only carries. */
export async function createTwoClusters(options: Options) {
  const clusters = { rome: createMemoryCluster(), paris: createMemoryCluster() }
  const liqos = createFakeLiqos(options.issue)
  await liqos.install(clusters.rome, 'rome-liqo')
  await liqos.install(clusters.paris, 'paris-liqo')
  const desk = createSessionDesk()
  const held = { rome: new Map<string, Held>(), paris: new Map<string, Held>() }
  const borrowed = new Map<string, BorrowedReservation>()
  const lives = new Map<City, Peering>()

  const portsOf = (city: City): Ports => ({
    client: clusters[city].client,
    broker: desk.brokerFor(city),
  })

  /** A new life of an agent; the one before must have ended. */
  async function live(city: City, ports: Ports = portsOf(city)): Promise<void> {
    const networking = options.networking?.[city] ?? 'none'
    const life = await aPeer({
      ...options,
      ...ports,
      held: held[city],
      networking,
      clusterId: city,
    })
    lives.set(city, life)
    // As instructions do: everything that changed is looked at again while it is borrowed.
    life.subscribe((id) => {
      const reservation = borrowed.get(id)
      if (reservation && borrowerOf(reservation) === city)
        life.borrow(reservation, signal).catch(() => {})
    })
  }

  function peering(city: City): Peering {
    const found = lives.get(city)
    if (!found) throw new Error(`${city} is not alive.`)
    return found
  }

  return {
    ...clusters,
    world: liqos.world,
    renew: liqos.renew,
    desk,
    portsOf,
    live,
    peering,
    reserve(reservation: BorrowedReservation): void {
      const lent = heldFor(borrowerOf(reservation), reservation)
      held[lenderOf(reservation)].set(reservation.id, lent)
      peering(lenderOf(reservation))
        .lend(lent, signal)
        .catch(() => {})
    },
    /** It has ended at the broker, so it is no longer lent or borrowed. */
    end(id: string): void {
      borrowed.delete(id)
      for (const lent of [held.paris, held.rome]) lent.delete(id)
    },
    borrow(reservation: BorrowedReservation): Promise<void> {
      borrowed.set(reservation.id, reservation)
      return untilDone(() => peering(borrowerOf(reservation)).borrow(reservation, signal))
    },
    giveBack(reservation: BorrowedReservation): Promise<void> {
      borrowed.delete(reservation.id)
      return untilDone(() => peering(borrowerOf(reservation)).giveBack(reservation, signal))
    },
    takeBack(reservation: BorrowedReservation): Promise<void> {
      const lent = heldFor(borrowerOf(reservation), reservation)
      return untilDone(() => peering(lenderOf(reservation)).takeBack(lent, signal))
    },
    /** What peering has left in either cluster, in words. */
    leftovers(): string[] {
      const kinds = [...OF_BORROWING, ...OF_LENDING, ...OF_PAIRS, NODE, SECRET, ...TUNNEL]
      const all = [...kinds.flatMap(namesIn('rome')), ...kinds.flatMap(namesIn('paris'))]
      return all.filter((name) => !name.endsWith('authentication-keys'))
    },
    async stop(): Promise<void> {
      await Promise.all([...lives.values()].map((one) => one.stop()))
      await liqos.stop()
    },
  }

  function namesIn(city: City) {
    return (kind: Kind) =>
      clusters[city]
        .all(kind)
        .filter(isOfPeering)
        .map(({ metadata }) => `${city}: ${kind.kind} ${metadata.name}`)
  }
}

/** Other namespaces are the user's. */
function isOfPeering({ kind, metadata }: KubeObject): boolean {
  return kind !== 'Namespace' || metadata.labels?.[LIQO_TENANT_NAMESPACE_LABEL] === 'true'
}
