import { apiVersionOf, type Clock, type Kind, type KubeObject, systemClock } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { movableClock } from '@bourse/testkit/clock'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { byHand } from '../../../fixtures/peering/native/fake/by-hand.ts'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import { NAMESPACE, NODE, SECRET } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import { UNREACHABLE_ANNOTATION } from './liqo/foreign-cluster.ts'
import { LABEL, LIQO } from './liqo/liqo-kinds.ts'
import { liqoTenant, liqoTenantNamespace } from './liqo/liqo-tenant.ts'
import type { Node } from './liqo/resource-slice.ts'
import type { Secret } from './liqo/secrets.ts'

const certificates = useCertificates()

const { signal } = new AbortController()
const one: BorrowedReservation = {
  id: 'rsv-1',
  provider: 'paris',
  resources: { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' },
}
const two: BorrowedReservation = { id: 'rsv-2', provider: 'paris', resources: { cpu: '1' } }

/** Longer than any real wait: a test moves the clock past them. */
const HOUR_MS = 3_600_000
const SOME_SECONDS_MS = 5_000
/** As long as a provider waits for the instruction that belongs to a hello. */
const INSTRUCTION_MS = 5_000

/** Where paris has what is rome's. */
const HOME = 'liqo-tenant-rome-liqo'
/** As rome's Liqo carries it there. */
const copyOf = (kind: Kind, name: string): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  spec: {},
  metadata: {
    name,
    namespace: HOME,
    labels: { [LABEL.replicated]: 'true', [LABEL.origin]: 'rome-liqo' },
  },
})

type Options = Readonly<{ lingerMs?: number; graceMs?: number; clock?: Clock }>

async function romeAndParis(options: Options = {}) {
  const both = await createTwoClusters({ issue: certificates().forCluster, ...options })
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
      cpu: '2',
      memory: '4Gi',
      pods: '110',
      'nvidia.com/gpu': '1',
    })
    expect(paris.all(LIQO.quota)).toHaveLength(1)
  })

  it('serves several reservations with one handshake, and leaves with the last', async () => {
    const both = await romeAndParis()
    for (const reservation of [one, two]) both.reserve(reservation)
    await Promise.all([both.borrow(one), both.borrow(two)])

    await both.giveBack(one)

    expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
    expect(both.paris.all(LIQO.tenant)).toHaveLength(1)
    await both.giveBack(two)
    for (const { id } of [one, two]) both.end(id)
    for (const reservation of [one, two]) await both.takeBack(reservation)
    await eventually('nothing is left', () => both.leftovers().length === 0)
    await eventually('the session is closed', () => both.desk.sessions().length === 0)
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
    expect(paris.all(LIQO.tenant)).toHaveLength(1)
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

  it('ends one way at a time where two clusters borrow from each other', async () => {
    const both = await romeAndParis()
    const back = { ...two, provider: 'rome' }
    for (const reservation of [one, back]) both.reserve(reservation)
    await Promise.all([both.borrow(one), both.borrow(back)])

    await both.giveBack(one)
    both.end(one.id)
    await both.takeBack(one)

    await eventually('rome has left', () => both.desk.sessions().length === 1)
    await expect.poll(() => both.paris.all(LIQO.tenant)).toEqual([])
    expect(both.paris.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
    await both.giveBack(back)
    both.end(back.id)
    await both.takeBack(back)
    await eventually('nothing is left', () => both.leftovers().length === 0)
    await eventually('paris has left', () => both.desk.sessions().length === 0)
  })

  it('does nothing at the provider without a reservation there', async () => {
    const clock = movableClock()
    const { paris, desk, peering } = await romeAndParis({ clock })

    await peering('rome').borrow(one, signal)
    await eventually('paris has waited for an instruction, and says so', () => {
      clock.moveOn(SOME_SECONDS_MS)
      return desk.sessions()[0]?.trouble?.provider?.reason === 'NoInstruction'
    })

    expect(Object.keys(desk.sessions()[0]?.messages ?? {})).toEqual(['hello'])
    expect(paris.all(LIQO.tenant)).toEqual([])
    expect(paris.all(SECRET)).toHaveLength(1)
  })

  it('goes on at once when the instruction comes after the hello', async () => {
    const naps: number[] = []
    const sleep = (ms: number, stop?: AbortSignal) => {
      naps.push(ms)
      // Who is not told, looks again after 5 s: that never comes here.
      return systemClock.sleep(ms > 1_000 ? HOUR_MS : ms, stop)
    }
    const { desk, peering, reserve } = await romeAndParis({
      clock: { ...systemClock, sleep },
    })
    await peering('rome').borrow(one, signal)
    await eventually('paris has heard the hello, and waits', () =>
      naps.some((ms) => ms > 4_000 && ms <= INSTRUCTION_MS),
    )

    reserve(one)

    await eventually('paris has answered', () => {
      return desk.sessions()[0]?.messages.nonce !== undefined
    })
  })
})

describe('what was there before', () => {
  it('stays: the namespace for the other cluster, and what Liqo knows of it', async () => {
    const both = await romeAndParis()
    for (const [city, liqoId] of [
      ['rome', 'paris-liqo'],
      ['paris', 'rome-liqo'],
    ] as const)
      await both[city].client.create(NAMESPACE, byHand(liqoTenantNamespace(liqoId, '')))
    both.reserve(one)
    await both.borrow(one)

    await both.giveBack(one)
    both.end(one.id)
    await both.takeBack(one)

    await eventually('they have parted', () => both.desk.sessions().length === 0)
    await expect
      .poll(both.leftovers)
      .toEqual([
        ...['rome: Namespace liqo-tenant-paris-liqo', 'rome: ForeignCluster paris-liqo'],
        'paris: Namespace liqo-tenant-rome-liqo',
      ])
  })

  it('stays: a Tenant that a user made by hand, and its slices', async () => {
    const both = await romeAndParis({ graceMs: 300 })
    await both.paris.client.create(NAMESPACE, liqoTenantNamespace('rome-liqo', 'rome'))
    const keys = both.rome.find<Secret>(SECRET, 'authentication-keys')
    const publicKey = keys?.data?.publicKey ?? ''
    const spec = { clusterID: 'rome-liqo', publicKey, csr: '', signature: '' }
    const made = byHand(liqoTenant({ namespace: HOME, peer: 'rome', spec }))
    await both.paris.client.create(LIQO.tenant, made)
    both.reserve(one)
    await both.borrow(one)
    await both.paris.client.create(LIQO.resourceSlice, copyOf(LIQO.resourceSlice, 'by-hand'))
    await both.peering('rome').stop()
    both.world.unreachable.add('paris-liqo')

    both.end(one.id)
    await both.takeBack(one)

    await eventually('paris has let go', () => both.desk.sessions().length === 0)
    expect(both.paris.all(LIQO.tenant)).toHaveLength(1)
    const slices = both.paris.all(LIQO.resourceSlice).map(({ metadata }) => metadata.name)
    expect(slices).toEqual(['by-hand'])
  })
})

describe('a requester that was away while it left', () => {
  it('finishes what it began, although the session is gone', async () => {
    const clock = movableClock()
    const both = await romeAndParis({ lingerMs: HOUR_MS, clock })
    both.reserve(one)
    await both.borrow(one)
    await both.giveBack(one)
    await both.peering('rome').stop()
    const [session] = both.desk.sessions()
    const [own] = both.rome.all(LIQO.identity)
    if (!session || !own) throw new Error('it has left already')
    await both.desk.brokerFor('paris').closePeering(session.id)
    await both.rome.client.delete(LIQO.identity, own.metadata)

    both.end(one.id)
    await both.takeBack(one)
    await both.live('rome')

    await eventually('nothing is left in rome', () => {
      clock.moveOn(HOUR_MS / 10)
      return !both.leftovers().some((name) => name.startsWith('rome'))
    })
  })
})

describe('what a user deletes by hand', () => {
  it.each([
    { city: 'rome', what: 'the slice', kind: LIQO.resourceSlice },
    { city: 'rome', what: 'the Identity', kind: LIQO.identity },
    { city: 'paris', what: 'the Tenant', kind: LIQO.tenant },
  ] as const)('$what in $city is made again, and all of it goes in the end', async (deleted) => {
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
  it('does not keep what was borrowed from it', async () => {
    const { rome, world, reserve, borrow, giveBack } = await romeAndParis({
      graceMs: 300,
      lingerMs: 60_000,
    })
    reserve(one)
    await borrow(one)
    world.unreachable.add('paris-liqo')

    await giveBack(one)

    expect(rome.all(LIQO.resourceSlice)).toEqual([])
    expect(rome.all(NODE)).toEqual([])
    const [given] = rome.all(LIQO.foreignCluster)
    expect(given?.metadata.annotations).toEqual({ [UNREACHABLE_ANNOTATION]: 'true' })
  })

  it('does not keep what it borrowed', async () => {
    const both = await romeAndParis({ graceMs: 300 })
    both.reserve(one)
    await both.borrow(one)
    await both.paris.client.create(LIQO.namespaceMap, copyOf(LIQO.namespaceMap, 'rome'))
    await both.peering('rome').stop()
    both.world.unreachable.add('paris-liqo')

    both.end(one.id)
    await both.takeBack(one)

    await eventually('paris is rid of rome', () => {
      return !both.leftovers().some((name) => name.startsWith('paris'))
    })
    await eventually('the session is closed', () => both.desk.sessions().length === 0)
  })
})
