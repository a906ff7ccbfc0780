import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatewayKeyOf } from '../../../fixtures/peering/native/fake/fake-networking.ts'
import { createMutual } from '../../../fixtures/peering/native/fake/mutual.ts'
import { untilStuck } from '../../../fixtures/peering/native/fake/peers.ts'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import { LIQO } from './liqo/liqo-kinds.ts'

const certificates = useCertificates()

const { signal } = new AbortController()
const reservation: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

async function romeAndParis(networking: { rome?: 'wireguard'; paris?: 'wireguard' }) {
  const both = await createTwoClusters({ issue: certificates().forCluster, networking })
  onTestFinished(both.stop)
  await Promise.all([both.live('rome'), both.live('paris')])
  both.reserve(reservation)
  return both
}

describe('a tunnel between two clusters', () => {
  it('stands before anything is borrowed: each end knows the other', async () => {
    const { rome, paris, borrow } = await romeAndParis({ rome: 'wireguard', paris: 'wireguard' })

    await borrow(reservation)

    expect(rome.find(LIQO.gatewayClient, 'bourse')?.spec).toMatchObject({
      mtu: 1_340,
      endpoint: { addresses: ['paris-liqo.example'], port: 30_001, protocol: 'UDP' },
      clientTemplateRef: { name: 'wireguard-client', namespace: 'liqo' },
    })
    expect(paris.find(LIQO.gatewayServer, 'bourse')?.spec).toMatchObject({
      endpoint: { port: 51_840, serviceType: 'NodePort' },
      serverTemplateRef: { name: 'wireguard-server', namespace: 'liqo' },
    })
    const behind = { rome: ['10.1.0.0/16'], paris: ['10.2.0.0/16'] }
    expect(rome.find(LIQO.configuration, 'paris-liqo')?.spec).toMatchObject({
      remote: { cidr: { pod: behind.paris, external: ['10.72.0.0/16'] } },
    })
    expect(paris.find(LIQO.configuration, 'rome-liqo')?.spec).toMatchObject({
      remote: { cidr: { pod: behind.rome, external: ['10.71.0.0/16'] } },
    })
    expect(rome.find(LIQO.publicKey, 'paris-liqo')?.spec).toEqual({
      publicKey: gatewayKeyOf('paris-liqo'),
    })
    expect(paris.find(LIQO.publicKey, 'rome-liqo')?.spec).toEqual({
      publicKey: gatewayKeyOf('rome-liqo'),
    })
  })

  it('goes with the peering', async () => {
    const both = await romeAndParis({ rome: 'wireguard', paris: 'wireguard' })
    await both.borrow(reservation)

    await both.giveBack(reservation)
    both.end(reservation.id)

    await eventually('they have parted', () => both.desk.sessions().length === 0)
    for (const kind of [
      LIQO.gatewayClient,
      LIQO.gatewayServer,
      LIQO.configuration,
      LIQO.publicKey,
      LIQO.identity,
    ])
      await expect.poll(() => [...both.rome.all(kind), ...both.paris.all(kind)]).toEqual([])
  })

  it('is refused by a provider that has none', async () => {
    const both = await romeAndParis({ rome: 'wireguard' })

    const borrowing = () => both.peering('rome').borrow(reservation, signal)
    const step = await untilStuck(borrowing, 'NetworkingOff')

    expect(step.message).toContain('paris says: The provider has --peering-networking=none')
  })
})

describe('a requester whose Liqo has no networking', () => {
  it('says so before it asks for anything, and goes on once it has', async () => {
    const both = await romeAndParis({ rome: 'wireguard', paris: 'wireguard' })
    const networks = both.rome.all(LIQO.network)
    for (const { metadata } of networks) await both.rome.client.delete(LIQO.network, metadata)

    const borrowing = () => both.peering('rome').borrow(reservation, signal)
    const step = await untilStuck(borrowing, 'NoSubnets')

    expect(step.message).toContain('is its networking module on?')
    expect(both.desk.sessions()).toEqual([])
    for (const network of networks) await both.rome.client.create(LIQO.network, network)
    await both.borrow(reservation)
  })
})

describe('a tunnel that stands', () => {
  it('is among the steps, with how fast the other end answers', async () => {
    const both = await romeAndParis({ rome: 'wireguard', paris: 'wireguard' })
    await both.borrow(reservation)

    const { steps } = await both.peering('rome').borrow(reservation, signal)

    expect(steps.map(({ type }) => type)).toEqual([
      ...['PeeringRequested', 'TenantReady', 'IdentityReady', 'NetworkReady'],
      ...['SliceAccepted', 'NodeReady'],
    ])
    expect(steps.find(({ type }) => type === 'NetworkReady')).toMatchObject({
      status: 'True',
      reason: 'Connected',
      message:
        'The tunnel through paris-liqo.example:30001 (UDP) is up; ' +
        'the other end answers within 20 ms',
    })
  })

  it.each([
    { city: 'rome', kind: LIQO.gatewayClient },
    { city: 'rome', kind: LIQO.publicKey },
    { city: 'paris', kind: LIQO.gatewayServer },
    { city: 'paris', kind: LIQO.publicKey },
  ] as const)('comes back when the $kind.kind in $city is deleted by hand', async (deleted) => {
    const both = await romeAndParis({ rome: 'wireguard', paris: 'wireguard' })
    await both.borrow(reservation)
    const { client, all } = both[deleted.city]
    const [object] = all(deleted.kind)
    if (!object) throw new Error('nothing to delete')

    await client.delete(deleted.kind, object.metadata)

    await eventually('another one is there', () =>
      all(deleted.kind).some(({ metadata }) => metadata.uid !== object.metadata.uid),
    )
    await both.borrow(reservation)
    expect(both.desk.sessions().map(({ state }) => state)).toEqual(['established'])
  })
})

describe('two clusters that borrow from each other', () => {
  it('share one tunnel, which goes with the last reservation', async () => {
    const both = await createMutual(certificates().forCluster)
    onTestFinished(both.stop)

    await Promise.all([both.borrow('rome'), both.borrow('paris')])

    expect([LIQO.gatewayClient, LIQO.gatewayServer].map(both.countOf)).toEqual([1, 1])
    await both.giveBack('rome')
    await eventually('one direction has parted', () => both.desk.sessions().length === 1)
    expect([LIQO.gatewayClient, LIQO.gatewayServer].map(both.countOf)).toEqual([1, 1])
    await both.giveBack('paris')
    await eventually('they have parted', () => both.desk.sessions().length === 0)
    const kinds = [LIQO.gatewayClient, LIQO.gatewayServer, LIQO.configuration, LIQO.publicKey]
    await expect.poll(() => kinds.map(both.countOf)).toEqual([0, 0, 0, 0])
  })
})
