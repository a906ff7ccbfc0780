import type { Kind } from '@bourse/kube'
import type { BorrowedReservation, HeldReservation } from '../../port/peering.ts'
import { createFakeLiqos, type Issue } from './fake-liqo.fixture.ts'
import { createMemoryCluster } from './memory-cluster.fixture.ts'
import { aPeer, heldFor, untilDone } from './peers.fixture.ts'
import { createSessionDesk } from './session-desk.fixture.ts'
import type { City } from './two-clusters.fixture.ts'

const { signal } = new AbortController()
const OTHER = { rome: 'paris', paris: 'rome' } as const

/** rome borrows of paris and paris of rome, with a tunnel between them. */
export async function createMutual(issue: Issue) {
  const clusters = { rome: createMemoryCluster(), paris: createMemoryCluster() }
  const liqos = createFakeLiqos(issue)
  await liqos.install(clusters.rome, 'rome-liqo')
  await liqos.install(clusters.paris, 'paris-liqo')
  const desk = createSessionDesk()
  const held = {
    rome: new Map<string, HeldReservation>(),
    paris: new Map<string, HeldReservation>(),
  }
  const borrowedBy = (city: City): BorrowedReservation => ({
    id: `rsv-${city}`,
    provider: OTHER[city],
    resources: { cpu: '2' },
  })
  const lives = { rome: await live('rome'), paris: await live('paris') }

  function live(clusterId: City) {
    const { client } = clusters[clusterId]
    const broker = desk.brokerFor(clusterId)
    const given = { issue, clusterId, client, broker, held: held[clusterId] }
    return aPeer({ ...given, networking: 'wireguard' })
  }

  return {
    desk,
    borrow(city: City): Promise<void> {
      const reservation = borrowedBy(city)
      const lent = heldFor(city, reservation)
      held[OTHER[city]].set(reservation.id, lent)
      lives[OTHER[city]].lend(lent, signal).catch(() => {})
      return untilDone(() => lives[city].borrow(reservation, signal))
    },
    async giveBack(city: City): Promise<void> {
      const reservation = borrowedBy(city)
      await untilDone(() => lives[city].giveBack(reservation, signal))
      held[OTHER[city]].delete(reservation.id)
      await untilDone(() => lives[OTHER[city]].takeBack(heldFor(city, reservation), signal))
    },
    countOf: (kind: Kind): number =>
      clusters.rome.all(kind).length + clusters.paris.all(kind).length,
    async stop(): Promise<void> {
      await Promise.all([lives.rome.stop(), lives.paris.stop()])
      await liqos.stop()
    },
  }
}
