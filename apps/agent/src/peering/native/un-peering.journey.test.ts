import type { Offload } from '@bourse/contract/kinds'
import type { Clock } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { movableClock } from '@bourse/testkit/clock'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { byHand } from '../../../fixtures/peering/native/fake/by-hand.ts'
import { createHesitant } from '../../../fixtures/peering/native/fake/hesitant.ts'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import { NAMESPACE, NODE } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import { UNREACHABLE_ANNOTATION } from './liqo/foreign-cluster.ts'
import { LIQO } from './liqo/liqo-kinds.ts'
import { liqoTenantNamespace } from './liqo/liqo-tenant.ts'

const certificates = useCertificates()

const first: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }
const next: BorrowedReservation = { id: 'rsv-2', provider: 'paris', resources: { cpu: '1' } }
/** Longer than any real wait: a test moves the clock past them. */
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SOME_SECONDS_MS = 5_000

type Options = Readonly<{ lingerMs?: number; graceMs?: number; clock?: Clock }>

async function romeAndParis(options: Options = {}) {
  const both = await createTwoClusters({ issue: certificates().forCluster, ...options })
  onTestFinished(both.stop)
  return both
}

describe('clusters that un-peer', () => {
  it('peer again in a session that the end of the one before does not take along', async () => {
    const both = await romeAndParis()
    const { client, broker } = both.portsOf('paris')
    const paris = createHesitant(client, broker)
    await Promise.all([both.live('rome'), both.live('paris', paris.ports)])
    both.reserve(first)
    await both.borrow(first)
    paris.stopBefore('closePeering')
    await both.giveBack(first)
    both.end(first.id)
    await both.takeBack(first)
    await paris.reached
    const [ending] = both.desk.sessions()

    both.reserve(next)
    const borrowing = both.borrow(next)
    // paris has heard of it, and of nothing else since: then it forgets the one before.
    await eventually('rome has said hello again', () => both.desk.sessions()[0]?.state === 'open')
    paris.goOn()
    await borrowing

    const [standing] = both.desk.sessions()
    expect(standing).toMatchObject({ state: 'established' })
    expect(standing?.id).not.toBe(ending?.id)
    expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
  })
})

describe('a reservation that was torn off', () => {
  it('leaves no namespace offloaded when the peering ends', async () => {
    const both = await romeAndParis()
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
    await both.rome.client.create(NAMESPACE, shop)
    await Promise.all([both.live('rome'), both.live('paris')])
    const offload: Offload = { namespaces: ['shop'], strategy: 'LocalAndRemote' }
    both.reserve(first)
    await both.borrow({ ...first, offload })
    expect(both.rome.all(LIQO.namespaceOffloading)).toHaveLength(1)
    await both.peering('rome').stop()

    const [slice] = both.rome.all(LIQO.resourceSlice)
    if (slice) await both.rome.client.delete(LIQO.resourceSlice, slice.metadata)
    both.end(first.id)
    await both.takeBack(first)
    await both.live('rome')

    await eventually('nothing is left', () => both.leftovers().length === 0)
  })
})

describe('a cluster that dies while the peering lingers', () => {
  it('as a provider is given up as lost, and welcome when it comes back', async () => {
    const clock = movableClock()
    const both = await romeAndParis({ lingerMs: MINUTE_MS, graceMs: MINUTE_MS, clock })
    // Who made it keeps it, and what Liqo knows of paris along with it.
    await both.rome.client.create(NAMESPACE, byHand(liqoTenantNamespace('paris-liqo', 'paris')))
    await Promise.all([both.live('rome'), both.live('paris')])
    both.reserve(first)
    await both.borrow(first)
    await both.giveBack(first)
    both.end(first.id)
    await both.takeBack(first)
    expect(both.rome.all(LIQO.identity)).toHaveLength(1)
    await both.peering('paris').stop()
    both.world.unreachable.add('paris-liqo')

    await eventually('rome has said goodbye', () => {
      clock.moveOn(SOME_SECONDS_MS)
      return both.desk.sessions()[0]?.state === 'closing'
    })

    const annotations = () => both.rome.all(LIQO.foreignCluster)[0]?.metadata.annotations
    const kept = ['rome: Namespace liqo-tenant-paris-liqo', 'rome: ForeignCluster paris-liqo']
    const leftInRome = () => both.leftovers().filter((name) => name.startsWith('rome'))
    await expect.poll(leftInRome).toEqual(kept)
    expect(annotations()).toEqual({ [UNREACHABLE_ANNOTATION]: 'true' })
    both.world.unreachable.delete('paris-liqo')
    await both.live('paris')
    await eventually('paris has followed', () => both.leftovers().length === kept.length)
    both.reserve(next)
    await both.borrow(next)
    expect(annotations()).toEqual({})
  })

  it('as a requester loses its rights after a while', async () => {
    const clock = movableClock()
    const both = await romeAndParis({ lingerMs: HOUR_MS, graceMs: MINUTE_MS, clock })
    await Promise.all([both.live('rome'), both.live('paris')])
    both.reserve(first)
    await both.borrow(first)
    await both.giveBack(first)
    await both.peering('rome').stop()

    both.end(first.id)
    await both.takeBack(first)
    expect(both.paris.all(LIQO.tenant)).toHaveLength(1)

    await eventually('paris is rid of rome', () => {
      clock.moveOn(SOME_SECONDS_MS)
      return !both.leftovers().some((name) => name.startsWith('paris'))
    })
    await eventually('no session is left', () => both.desk.sessions().length === 0)
  })
})
