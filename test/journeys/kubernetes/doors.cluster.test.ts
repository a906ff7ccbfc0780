import { type ClusterAdvertisementStatus, clusterAdvertisementKind } from '@bourse/contract/kinds'
import { isTrue, type KubeObject } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookOut } from '../sighting.ts'
import {
  type BrokerOnObjects,
  clearObjects,
  sample,
  startBrokerOnObjects,
} from './broker-on-objects.ts'
import { aClusterAdvertisement, aReservation, conditionOf, objectsOf } from './objects.ts'

const FINALIZER = 'reservation.broker.fluidos.eu/finalizer'
const plane = useControlPlane({ kinds: brokerKinds })
let broker: BrokerOnObjects

beforeEach(async () => {
  await clearObjects(plane())
  broker = await startBrokerOnObjects(plane())
})
afterEach(() => broker.stop())

const live = () => broker.writer.read((view) => view.liveCount)
type Seen = Readonly<{ metadata: { finalizers?: readonly string[] }; status?: { phase?: string } }>
const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'
/** The finalizer comes right after the status that a user waits for. */
const isHeld = (seen: Seen) => isReserved(seen) && seen.metadata.finalizers !== undefined

describe('the manifests of the contract', () => {
  it('work as written: kubectl apply, and the reservation is made', async () => {
    const { read, until } = objectsOf(plane())
    const files = ['broker_v1alpha1_clusteradvertisement', 'broker_v1alpha1_reservation']

    await plane().kubectl(['apply', ...files.map((name) => `--filename=${sample(name)}`)])

    const provider = 'fd32c7d2-7cc6-46e6-80aa-d3d5c835586c'
    const made = await until('rsv', 'my-workload', isHeld)
    const cluster = await until(
      'cadv',
      'local-cluster-adv',
      ({ status }) => status?.score === '55.95',
    )
    expect(made).toMatchObject({
      metadata: { finalizers: [FINALIZER] },
      spec: { targetClusterID: provider },
      status: { targetClusterID: provider, observedGeneration: made.metadata.generation },
    })
    // What was written there is ignored: the broker knows what is reserved.
    expect(cluster.spec.resources).toMatchObject({
      reserved: { cpu: '2', memory: '4Gi' },
      available: { cpu: '6950m', memory: '3403088Ki' },
    })
    expect(await read('cadv', 'local-cluster-adv')).toEqual(cluster)
  })

  it('answer kubectl wait', async () => {
    const { apply } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))

    const waited = await plane().kubectl([
      'wait',
      'rsv/job',
      '--for=condition=Ready',
      '--timeout=60s',
    ])

    expect(waited).toContain('condition met')
  })

  it('wait for a provider that is applied with them, and made after them', async () => {
    const { apply, until } = objectsOf(plane())

    await apply(aReservation('early'), aClusterAdvertisement('paris', 'paris', '10'))

    const early = await until('rsv', 'early', isHeld)
    expect(early.spec.targetClusterID).toBe('paris')
  })

  it('lock as the example says: 3 and 5 of 8950m fit, 2 more do not', async () => {
    const { apply, until } = objectsOf(plane())
    const resources = {
      capacity: { cpu: '10', memory: '64Gi' },
      allocated: { cpu: '1050m' },
    }
    await apply(aClusterAdvertisement('paris', 'paris', '10', { resources }))
    const asking = (cpu: string) => ({ requestedResources: { cpu, memory: '1Gi' } })

    await apply(aReservation('a', asking('3')))
    await until('rsv', 'a', isHeld)
    await apply(aReservation('b', asking('5')))
    await until('rsv', 'b', isHeld)
    await apply(aReservation('c', asking('2')))
    const failed = await until('rsv', 'c', ({ status }) => status?.phase === 'Failed')

    expect(failed.status?.message).toMatch(/insufficient/)
    expect(failed.metadata.finalizers).toBeUndefined()
    await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '950m')
  })
})

describe('a Reservation made with kubectl', () => {
  beforeEach(async () => {
    const { apply, until } = objectsOf(plane())
    await apply(
      aClusterAdvertisement('paris', 'paris', '10'),
      aClusterAdvertisement('berlin', 'berlin', '4'),
    )
    for (const name of ['paris', 'berlin'])
      await until('cadv', name, (seen) => conditionOf(seen, 'Ready')?.status === 'True')
  })

  it('goes to the provider it is pinned to', async () => {
    const { apply, until } = objectsOf(plane())

    await apply(aReservation('pinned', { targetClusterID: 'berlin' }))

    const made = await until('rsv', 'pinned', isHeld)
    expect(made.status?.targetClusterID).toBe('berlin')
  })

  it('is told its provider though its manifest names an empty one', async () => {
    const { apply, until } = objectsOf(plane())

    await apply(aReservation('job', { targetClusterID: '' }))

    const made = await until('rsv', 'job', isHeld)
    expect(made.spec.targetClusterID).toBe('paris')
  })

  it('keeps its provider when its finalizer is torn off, and gets a new finalizer', async () => {
    const { apply, patch, until } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isHeld)

    await patch('rsv', 'job', { metadata: { finalizers: null } })

    const held = await until('rsv', 'job', ({ metadata }) => metadata.finalizers !== undefined)
    expect(held).toMatchObject({
      metadata: { finalizers: [FINALIZER] },
      spec: { targetClusterID: 'paris' },
    })
  })

  it('tells its story in events', async () => {
    const { apply, until } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isHeld)

    const told = await eventually('an event', async () => {
      const events = await plane().kubectl(['events', '--for=rsv/job'])
      return events.includes('Reserved on paris') ? events : undefined
    })

    expect(told).toMatch(/Normal\s+Reserved/)
  })

  it('is renewed by an edit of its duration', async () => {
    const { apply, patch, until } = objectsOf(plane())
    await apply(aReservation('job', { duration: '1h' }))
    const before = await until('rsv', 'job', isHeld)

    await patch('rsv', 'job', { spec: { duration: '3h' } })

    const after = await until('rsv', 'job', ({ metadata, status }) => {
      return status?.observedGeneration === metadata.generation && metadata.generation > 2
    })
    const gained =
      Date.parse(after.status?.expiresAt ?? '') - Date.parse(before.status?.expiresAt ?? '')
    expect(gained).toBeGreaterThanOrEqual(2 * 3_600_000)
    expect(await live()).toBe(1)
  })

  it('is Active and then Released when its requester says so by conditions', async () => {
    const { apply, mark, until } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isHeld)

    await mark('job', 'RequesterActive')
    const active = await until('rsv', 'job', (seen) => {
      return seen.status?.phase === 'Active' && conditionOf(seen, 'Ready') !== undefined
    })
    await mark('job', 'RequesterReleased')
    const released = await until('rsv', 'job', ({ status }) => status?.phase === 'Released')

    expect(conditionOf(active, 'RequesterActive')?.status).toBe('True')
    expect(released.status?.reason).toBe('Released')
    await until('rsv', 'job', ({ metadata }) => metadata.finalizers === undefined)
    expect(await live()).toBe(0)
  })

  it('is released when it is deleted', async () => {
    const { apply, remove, gone, until } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isHeld)

    await remove('rsv', 'job')
    await gone('rsv', 'job')

    expect(await live()).toBe(0)
    await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '10')
  })

  it('is released though its finalizer was torn off', async () => {
    const { apply, patch, remove, until } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isHeld)

    await remove('rsv', 'job')
    await patch('rsv', 'job', { metadata: { finalizers: null } }).catch(() => 'gone already')

    await eventually('released', async () => ((await live()) === 0 ? true : undefined))
  })
})

describe('a Reservation that is deleted after the commit, before it has its finalizer', () => {
  let why: string | undefined

  beforeEach(async () => {
    await broker.stop()
    why = undefined
    broker = await startBrokerOnObjects(plane(), { whyNotLeading: () => why })
    const { apply, read, remove, gone } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'))
    await eventually('open', () => (broker.trouble() === undefined ? true : undefined))
    broker.writer.subscribe(({ events }) => {
      if (events.some(({ kind }) => kind === 'reserved')) why = 'writes nothing after the commit'
    })
    await apply(aReservation('job'))
    await eventually('committed', async () => ((await live()) === 1 ? true : undefined))
    const unheld = await read('rsv', 'job')
    expect(unheld?.metadata.finalizers).toBeUndefined()
    await remove('rsv', 'job')
    await gone('rsv', 'job')
  })

  it('is released by the broker that watches', async () => {
    why = undefined

    await eventually('released', async () => ((await live()) === 0 ? true : undefined))
  })

  it('is released by the next broker when this one died', async () => {
    await broker.stop()
    broker = await startBrokerOnObjects(plane(), { store: broker.store })

    await eventually('released', async () => ((await live()) === 0 ? true : undefined))
  })
})

describe('while the broker is down', () => {
  it('a deletion waits, and is a release when it returns', async () => {
    const { apply, remove, read, gone, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))
    await until('rsv', 'job', isHeld)
    await broker.stop()

    await remove('rsv', 'job')
    const waiting = await read('rsv', 'job')
    broker = await startBrokerOnObjects(plane(), { store: broker.store })
    await gone('rsv', 'job')

    expect(waiting?.metadata.finalizers).toEqual([FINALIZER])
    expect(await live()).toBe(0)
  })

  it('an object that vanishes altogether is a release when it returns', async () => {
    const { apply, patch, remove, gone, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))
    await until('rsv', 'job', isHeld)
    await broker.stop()

    await patch('rsv', 'job', { metadata: { finalizers: null } })
    await remove('rsv', 'job')
    await gone('rsv', 'job')
    broker = await startBrokerOnObjects(plane(), { store: broker.store })

    await eventually('released', async () => ((await live()) === 0 ? true : undefined))
  })

  it('supply and request made meanwhile find each other', async () => {
    const { apply, until } = objectsOf(plane())
    await broker.stop()

    await apply(aReservation('job'), aClusterAdvertisement('paris', 'paris', '10'))
    broker = await startBrokerOnObjects(plane(), { store: broker.store })

    await until('rsv', 'job', isHeld)
  })

  it('nothing changes: what is reserved is the same after its return', async () => {
    const { apply, all, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))
    await until('rsv', 'job', isHeld)
    await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '8')
    const before = [...(await all('rsv')), ...(await all('cadv'))]
    await broker.stop()

    broker = await startBrokerOnObjects(plane(), { store: broker.store })
    await eventually('open', () => (broker.trouble() === undefined ? true : undefined))
    await eventually('looked at', () => (broker.backlog() === 0 ? true : undefined))

    expect([...(await all('rsv')), ...(await all('cadv'))]).toEqual(before)
  })
})

type Shown = KubeObject<unknown, ClusterAdvertisementStatus>
const isFresh = ({ status }: Shown) =>
  status?.phase === 'Active' && isTrue(status.conditions, 'Ready')

describe('a ClusterAdvertisement made with kubectl', () => {
  it('goes stale, and a patch of its timestamp makes it fresh', async () => {
    await broker.stop()
    broker = await startBrokerOnObjects(plane(), { staleAfterMs: 3_000 })
    const { apply, patch, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'))

    const stale = await until('cadv', 'paris', ({ status }) => status?.phase === 'Stale')
    const fresh = await lookOut<Shown>(broker.client, {
      kind: clusterAdvertisementKind,
      isIt: (event) => 'object' in event && isFresh(event.object),
    })
    await patch('cadv', 'paris', { spec: { timestamp: new Date().toISOString() } })

    expect(conditionOf(stale, 'Ready')).toMatchObject({ status: 'False', reason: 'Stale' })
    // Soon it is stale again.
    await fresh.seen
  })

  it('that speaks for a cluster of another object is told so, and has it when that one goes', async () => {
    const { apply, remove, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('first', 'paris', '10'))
    await until('cadv', 'first', (seen) => conditionOf(seen, 'Ready')?.status === 'True')

    await apply(aClusterAdvertisement('second', 'paris', '99'))
    const told = await until('cadv', 'second', (seen) => conditionOf(seen, 'Ready') !== undefined)
    await remove('cadv', 'first')
    await until('cadv', 'second', (seen) => conditionOf(seen, 'Ready')?.status === 'True')

    expect(conditionOf(told, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ClaimedElsewhere',
      message: expect.stringContaining('default/first'),
    })
  })

  it.each(['\u001b[2J', '\u009b', '\u202e', '\u200b'])(
    'is not made with %j in its name',
    async (bad) => {
      const { apply } = objectsOf(plane())
      const made = aClusterAdvertisement('paris', 'paris', '10')

      const refused = apply({ ...made, spec: { ...made.spec, clusterName: `Paris${bad}` } })

      await expect(refused).rejects.toThrow(/spec\.clusterName.*should match/)
    },
  )

  it('that is deleted offers nothing more and loses nothing it holds', async () => {
    const { apply, remove, gone, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('held'))
    await until('rsv', 'held', isHeld)

    await remove('cadv', 'paris')
    await gone('cadv', 'paris')
    await eventually('retired', async () => {
      const { capacity } =
        (await broker.writer.read((view) => view.cluster('paris')))?.advertisement ?? {}
      return capacity?.cpu === undefined ? true : undefined
    })
    await apply(aReservation('late'))

    const late = await until('rsv', 'late', ({ status }) => status?.phase === 'Failed')
    expect(late.status?.message).toContain('paris has too little cpu')
    expect(await live()).toBe(1)
  })
})

describe('when the API server was away', () => {
  it('what was decided meanwhile is shown, and what is made then is decided', async () => {
    const { apply, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('before'))
    const before = await until('rsv', 'before', isHeld)
    await plane().apiServer.kill()

    await broker.writer.submit({ kind: 'release', id: before.status?.reservationID ?? '' })
    await plane().apiServer.start()
    await apply(aReservation('after'))

    await until('rsv', 'after', isHeld)
    const released = await until('rsv', 'before', ({ status }) => status?.phase === 'Released')
    expect(released.status?.reason).toBe('Released')
    await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '8')
  })
})
