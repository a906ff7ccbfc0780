import { eventually, makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { NODE } from '../../kinds.ts'
import type { BorrowedReservation } from '../peering.ts'
import { createTwoClusters } from './fake/two-clusters.fixture.ts'
import { FOREIGN_CLUSTER, IDENTITY, QUOTA, RESOURCE_SLICE, SECRET, TENANT } from './liqo-kinds.ts'
import { UNREACHABLE_ANNOTATION } from './objects/foreign-cluster.ts'
import type { Node } from './objects/node.ts'

let certificates: TestCertificates
beforeAll(async () => {
  certificates = await makeTestCertificates()
})
afterAll(() => certificates.dispose())

const { signal } = new AbortController()
const one: BorrowedReservation = {
  ...{ id: 'rsv-1', provider: 'paris' },
  resources: { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' },
}
const two: BorrowedReservation = { id: 'rsv-2', provider: 'paris', resources: { cpu: '1' } }

async function romeAndParis(times: { lingerMs?: number; graceMs?: number } = {}) {
  const both = await createTwoClusters({ issue: certificates.forCluster, ...times })
  onTestFinished(both.stop)
  await Promise.all([both.live('rome'), both.live('paris')])
  return both
}

describe('a native peering', () => {
  it('makes a node of exactly what is reserved', async () => {
    const { rome, paris, reserve, borrow } = await romeAndParis()

    reserve(one)
    await borrow(one)

    expect(rome.find<Node>(NODE, 'res-rsv-1')?.status?.allocatable).toEqual({
      ...{ cpu: '2', memory: '4Gi', pods: '110', 'nvidia.com/gpu': '1' },
    })
    expect(paris.all(QUOTA)).toHaveLength(1)
  })

  it('serves several reservations with one handshake, and leaves with the last', async () => {
    const both = await romeAndParis()
    for (const reservation of [one, two]) both.reserve(reservation)
    await Promise.all([both.borrow(one), both.borrow(two)])

    await both.giveBack(one)

    expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
    expect(both.paris.all(TENANT)).toHaveLength(1)
    await both.giveBack(two)
    for (const { id } of [one, two]) both.end(id)
    for (const reservation of [one, two]) await both.takeBack(reservation)
    await eventually('the session is closed', () => both.desk.sessions().length === 0)
    expect(both.leftovers()).toEqual([])
  })

  it('stays for a while when nothing is borrowed, so that the next one is quick', async () => {
    const { desk, paris, reserve, borrow, giveBack } = await romeAndParis({ lingerMs: 60_000 })
    reserve(one)
    await borrow(one)
    const [session] = desk.sessions()

    await giveBack(one)
    reserve(two)
    await borrow(two)

    expect(desk.sessions()).toEqual([session])
    expect(paris.all(TENANT)).toHaveLength(1)
  })

  it('resizes the node when the reservation is', async () => {
    const { rome, reserve, borrow } = await romeAndParis()
    reserve(one)
    await borrow(one)
    const larger = { ...one, resources: { cpu: '4', memory: '4Gi' } }

    reserve(larger)
    await borrow(larger)

    await eventually('the node has grown', () => {
      const { allocatable } = rome.find<Node>(NODE, 'res-rsv-1')?.status ?? {}
      return allocatable?.cpu === '4'
    })
  })

  it('ends one way at a time where two clusters borrow of each other', async () => {
    const both = await romeAndParis()
    const back = { ...two, provider: 'rome' }
    for (const reservation of [one, back]) both.reserve(reservation)
    await Promise.all([both.borrow(one), both.borrow(back)])

    await both.giveBack(one)
    both.end(one.id)
    await both.takeBack(one)

    await eventually('rome has left', () => both.desk.sessions().length === 1)
    expect(both.paris.all(TENANT)).toEqual([])
    expect(both.paris.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
    await both.giveBack(back)
    both.end(back.id)
    await both.takeBack(back)
    await eventually('paris has left', () => both.desk.sessions().length === 0)
    expect(both.leftovers()).toEqual([])
  })

  it('does nothing at the provider without a reservation there', async () => {
    const { paris, desk, peering } = await romeAndParis()

    await peering('rome').borrow(one, signal)
    await eventually('rome has said hello', () => desk.sessions().length === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))

    expect(Object.keys(desk.sessions()[0]?.messages ?? {})).toEqual(['hello'])
    expect(paris.all(TENANT)).toEqual([])
    expect(paris.all(SECRET)).toHaveLength(1)
  })

  it('goes on at once when the instruction comes after the hello', async () => {
    const { desk, peering, reserve } = await romeAndParis()
    await peering('rome').borrow(one, signal)
    await eventually('rome has said hello', () => desk.sessions().length === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const saidAt = performance.now()

    reserve(one)

    await eventually('paris has answered', () => {
      return desk.sessions()[0]?.messages.nonce !== undefined
    })
    // Without that it would look again after 5 s.
    expect(performance.now() - saidAt).toBeLessThan(4_500)
  })
})

describe('a requester that was away while it left', () => {
  it('finishes what it began, although the session is gone', async () => {
    const both = await romeAndParis({ lingerMs: 2_000 })
    both.reserve(one)
    await both.borrow(one)
    await both.giveBack(one)
    await both.peering('rome').stop()
    const [session] = both.desk.sessions()
    const [own] = both.rome.all(IDENTITY)
    if (!session || !own) throw new Error('it has left already')
    await both.desk.brokerFor('paris').closePeering(session.id)
    await both.rome.client.delete(IDENTITY, own.metadata)

    both.end(one.id)
    await both.takeBack(one)
    await both.live('rome')

    await eventually('nothing is left in rome', () => {
      return !both.leftovers().some((name) => name.startsWith('rome'))
    })
  })
})

describe('what somebody deletes by hand', () => {
  it.each([
    { city: 'rome', what: 'the slice', kind: RESOURCE_SLICE },
    { city: 'rome', what: 'the Identity', kind: IDENTITY },
    { city: 'paris', what: 'the Tenant', kind: TENANT },
  ] as const)('$what in $city is made anew, and all of it goes in the end', async (deleted) => {
    const both = await romeAndParis()
    both.reserve(one)
    await both.borrow(one)
    const [object] = both[deleted.city].all(deleted.kind)
    if (!object) throw new Error('nothing to delete')

    await both[deleted.city].client.delete(deleted.kind, object.metadata)

    await eventually('another one is there', () =>
      both[deleted.city]
        .all(deleted.kind)
        .some(({ metadata }) => metadata.uid !== object.metadata.uid),
    )
    await both.borrow(one)
    await both.giveBack(one)
    both.end(one.id)
    await both.takeBack(one)
    await eventually('nothing is left', () => both.leftovers().length === 0)
  })
})

describe('a cluster that is gone for good', () => {
  it('does not keep what was borrowed of it', async () => {
    const { rome, world, reserve, borrow, giveBack } = await romeAndParis({ graceMs: 300 })
    reserve(one)
    await borrow(one)
    world.unreachable.add('paris-liqo')

    await giveBack(one)

    expect(rome.all(RESOURCE_SLICE)).toEqual([])
    expect(rome.all(NODE)).toEqual([])
    const [given] = rome.all(FOREIGN_CLUSTER)
    expect(given?.metadata.annotations).toEqual({ [UNREACHABLE_ANNOTATION]: 'true' })
  })

  it('does not keep what it borrowed', async () => {
    const both = await romeAndParis({ graceMs: 300 })
    both.reserve(one)
    await both.borrow(one)
    await both.peering('rome').stop()
    both.world.unreachable.add('paris-liqo')

    both.end(one.id)
    await both.takeBack(one)

    await eventually('paris is rid of rome', () => both.paris.all(TENANT).length === 0)
    const left = both.leftovers().filter((name) => name.startsWith('paris'))
    await eventually(
      'the rest has gone',
      () => left.length === 0 || both.desk.sessions().length === 0,
    )
    expect(both.leftovers().filter((name) => name.startsWith('paris'))).toEqual([])
  })
})
