import type { Command } from '@bourse/domain/ledger'
import { eventually } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type BrokerOnObjects,
  clearObjects,
  createStore,
  startBrokerOnObjects,
} from './broker-on-objects.ts'
import {
  aClusterAdvertisement,
  aReservation,
  conditionOf,
  objectsOf,
  type Seen,
  TIMEOUT_MS,
} from './objects.ts'

const GIB = 1024n ** 3n
const plane = useControlPlane({ kinds: brokerKinds })
let broker: BrokerOnObjects

beforeEach(async () => {
  await clearObjects(plane())
  broker = await startBrokerOnObjects(plane())
  await isOpen()
})
afterEach(() => broker.stop())

const isOpen = () =>
  eventually('open', () => (broker.trouble() === undefined ? true : undefined), TIMEOUT_MS)
const isIdle = () =>
  eventually('idle', () => (broker.backlog() === 0 ? true : undefined), TIMEOUT_MS)
const live = () => broker.writer.read((view) => view.liveCount)
const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'
const isActive = ({ status }: Seen) => status?.phase === 'Active'

/** A cluster that advertises by REST. */
function advertise(clusterId: string, cpuMilli = 10_000n): Extract<Command, { kind: 'advertise' }> {
  const amounts = { cpu: cpuMilli, memory: 64n * GIB }
  const supply = { capacity: amounts, allocatable: amounts, allocated: {}, used: {} }
  return {
    kind: 'advertise',
    door: 'rest',
    clusterId,
    advertisement: { clusterName: clusterId, ...supply },
  }
}

/** A request that came by REST; the id of what it led to. */
async function reserve(cpuMilli = 2_000n): Promise<string> {
  const { outcome } = await broker.writer.submit({
    kind: 'reserve',
    door: 'rest',
    requester: 'rome',
    wanted: { cpu: cpuMilli, memory: GIB },
    priority: 3,
    durationMs: 3_600_000,
  })
  if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}.`)
  return outcome.reservation.id
}

describe('what comes by REST', () => {
  it('leaves no object of a cluster that is gone for good', async () => {
    const { until, gone } = objectsOf(plane())
    const { advertisement, ...by } = advertise('paris')
    // Without an agent, so that it need not be silent first.
    const byHand = { ...advertisement, stamp: 'once', isUnclaimed: true }
    await broker.writer.submit({ ...by, advertisement: byHand })
    await until('cadv', 'rest-paris', ({ status }) => status?.phase === 'Active')

    await broker.writer.submit({ kind: 'decommission', clusterId: 'paris' })

    await gone('cadv', 'rest-paris')
  })

  it('is shown as objects, and follows what becomes of it', async () => {
    const { until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))

    const id = await reserve()
    const mirror = await until('rsv', id, isReserved)
    const cluster = await until(
      'cadv',
      'rest-paris',
      ({ status }) => status?.available?.cpu === '8',
    )
    await broker.writer.submit({ kind: 'activate', id })
    await until('rsv', id, ({ status }) => status?.phase === 'Active')
    await broker.writer.submit({ kind: 'release', id })
    const released = await until('rsv', id, ({ status }) => status?.phase === 'Released')

    expect(mirror).toMatchObject({
      metadata: { labels: { 'broker.fluidos.eu/mirror-of': 'rest' } },
      spec: { requesterID: 'rome', duration: '1h', priority: 3, targetClusterID: 'paris' },
      status: { reservationID: id, ledgerID: broker.ledgerId },
    })
    expect(mirror.metadata.finalizers).toBeUndefined()
    expect(cluster.spec.resources).toMatchObject({
      capacity: { cpu: '10' },
      reserved: { cpu: '2' },
    })
    expect(released.status?.reason).toBe('Released')
  })

  it('is never a command: neither deleting nor marking its mirror does anything', async () => {
    const { mark, remove, until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))
    const id = await reserve()
    const before = await until('rsv', id, isReserved)

    await mark(id, 'RequesterReleased')
    await remove('rsv', id)
    const again = await until('rsv', id, (seen) => {
      return seen.metadata.uid !== before.metadata.uid && isReserved(seen)
    })

    expect(again.status?.reservationID).toBe(id)
    expect(await live()).toBe(1)
  })

  it('is shown beside what others add, without a conflict over any field', async () => {
    const { kubectl } = plane()
    const { until, read } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))
    await until('cadv', 'rest-paris', isActive)
    await kubectl(['label', 'cadv', 'rest-paris', 'team=gpu'])
    await kubectl(['annotate', 'cadv', 'rest-paris', 'note=by hand'])

    await broker.writer.submit(advertise('paris', 20_000n))
    await reserve()
    await until('cadv', 'rest-paris', ({ status }) => status?.available?.cpu === '18')
    await isIdle()
    const changed = await read('cadv', 'rest-paris')
    await isIdle()
    const later = await read('cadv', 'rest-paris')

    expect(changed?.metadata).toMatchObject({
      labels: { team: 'gpu', 'broker.fluidos.eu/mirror-of': 'rest' },
      annotations: { note: 'by hand' },
    })
    expect(changed?.spec.resources).toMatchObject({ capacity: { cpu: '20' } })
    expect(later?.metadata.resourceVersion).toBe(changed?.metadata.resourceVersion)
  })

  it('in a crowd is all shown in the end, and what left unseen is never shown', async () => {
    const { all } = objectsOf(plane())
    await broker.writer.submit(advertise('paris', 1_000_000n))
    await broker.writer.submit({ kind: 'tick' })

    const ids = await Promise.all(Array.from({ length: 60 }, () => reserve(1_000n)))
    const left = ids.slice(0, 20)
    await Promise.all(left.map((id) => broker.writer.submit({ kind: 'release', id })))
    await isIdle()

    const shown = (await all('rsv')).filter(isReserved).map(({ metadata }) => metadata.name)
    expect(shown.sort()).toEqual(ids.slice(20).sort())
  })

  it('and has left while the broker was down is not shown after its return', async () => {
    const { gone, until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))
    const id = await reserve()
    await until('rsv', id, isReserved)
    await isIdle()
    await broker.stopInterface()
    await broker.writer.submit({ kind: 'release', id })
    await broker.stop()

    broker = await startBrokerOnObjects(plane(), { store: broker.store })

    await gone('rsv', id)
  })

  it('moves when another namespace is chosen for it, and back, and leaves nothing behind', async () => {
    const { kubectl } = plane()
    const { gone, until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))
    const id = await reserve()
    await broker.writer.submit({ kind: 'activate', id })
    await until('rsv', id, isActive)
    await until('cadv', 'rest-paris', isActive)
    const { store } = broker
    await kubectl(['create', 'namespace', 'elsewhere'])
    const shown = () => kubectl(['get', 'rsv,cadv', '-n=elsewhere', '-o=jsonpath={..status.phase}'])
    const areShown = (phases: string) =>
      eventually('elsewhere', async () => (await shown()) === phases || undefined, TIMEOUT_MS)

    await broker.stop()
    broker = await startBrokerOnObjects(plane(), { store, httpNamespace: 'elsewhere' })
    await gone('rsv', id)
    await gone('cadv', 'rest-paris')
    await areShown('Active Active')

    await broker.stop()
    broker = await startBrokerOnObjects(plane(), { store })
    await until('rsv', id, isActive)
    await until('cadv', 'rest-paris', isActive)
    await areShown('')
  })

  it('owns its cluster id: an object that claims it is told so', async () => {
    const { apply, until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))

    await apply(aClusterAdvertisement('by-hand', 'paris', '99'))

    const told = await until('cadv', 'by-hand', (seen) => conditionOf(seen, 'Ready') !== undefined)
    expect(conditionOf(told, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ClaimedElsewhere',
    })
    expect((await broker.writer.read((view) => view.standing('paris')))?.available.cpu).toBe(
      10_000n,
    )
  })
})

describe('an idle federation of 100 clusters', () => {
  it('writes nothing, however often they repeat themselves', async () => {
    const { all, until } = objectsOf(plane())
    const clusters = Array.from({ length: 100 }, (_, n) => `cluster-${n}`)
    await Promise.all(clusters.map((id) => broker.writer.submit(advertise(id))))
    await until('cadv', 'rest-cluster-99', ({ status }) => status?.phase === 'Active')
    await isIdle()
    const before = (await all('cadv')).map(({ metadata }) => metadata.resourceVersion)

    for (let beat = 0; beat < 5; beat++)
      await Promise.all(clusters.map((id) => broker.writer.submit(advertise(id))))
    await isIdle()

    const after = (await all('cadv')).map(({ metadata }) => metadata.resourceVersion)
    expect(before).toHaveLength(100)
    expect(after).toEqual(before)
  })
})

describe('beside what another broker left', () => {
  const status = { phase: 'Reserved', targetClusterID: 'paris', message: 'as the original says' }

  /** As the Go original leaves them: a cluster with too much reserved, and what it granted. */
  async function leaveBehind(...names: readonly string[]): Promise<void> {
    const { apply, patchStatus } = objectsOf(plane())
    const finalizers = ['reservation.broker.fluidos.eu/finalizer']
    const resources = {
      capacity: { cpu: '10', memory: '64Gi' },
      allocatable: { cpu: '10', memory: '64Gi' },
      allocated: { cpu: '0', memory: '0' },
      reserved: { cpu: '8', memory: '16Gi' },
      available: { cpu: '2', memory: '48Gi' },
    }
    await broker.stop()
    await apply(aClusterAdvertisement('paris-adv', 'paris', '10', { resources }))
    await patchStatus('cadv', 'paris-adv', { active: true, phase: 'Active', score: '20.00' })
    for (const name of names) {
      const { metadata, ...rest } = aReservation(name, {
        targetClusterID: 'paris',
        duration: '1h0m0s',
      })
      await apply({ ...rest, metadata: { ...metadata, finalizers } })
      const expiresAt = new Date(Date.now() + 1_800_000).toISOString()
      await patchStatus('rsv', name, { ...status, expiresAt })
    }
  }

  it('a new ledger refuses to start, and says what to do', async () => {
    await leaveBehind('one')

    const started = startBrokerOnObjects(plane(), { store: createStore() })

    await expect(started).rejects.toThrow(
      'The journal is empty, but there are objects of another broker: Reservation default/one',
    )
  })

  it('it is taken over with --adopt: amounts counted anew, double locks gone', async () => {
    const { until } = objectsOf(plane())
    await leaveBehind('one', 'two')

    broker = await startBrokerOnObjects(plane(), { store: createStore(), adopt: true })

    const cluster = await until('cadv', 'paris-adv', ({ status }) => status?.available?.cpu === '6')
    const taken = await until('rsv', 'two', ({ status }) => status?.ledgerID === broker.ledgerId)
    expect(cluster.spec.resources?.reserved).toEqual({ cpu: '4', memory: '8Gi' })
    expect(taken.status).toMatchObject({ phase: 'Reserved', targetClusterID: 'paris' })
    expect(Date.parse(taken.status?.expiresAt ?? '')).toBeLessThan(Date.now() + 1_800_000)
    const { outcome } = await broker.writer.submit(advertise('paris'))
    expect(outcome).toMatchObject({ kind: 'advertised', cluster: { door: 'rest' } })
  })

  it('what a lost ledger had granted by REST is taken over from its mirrors', async () => {
    const { gone, until } = objectsOf(plane())
    await broker.writer.submit(advertise('paris'))
    const lost = await reserve(3_000n)
    await broker.writer.submit({ kind: 'activate', id: lost })
    await until('rsv', lost, isActive)
    await isIdle()
    await broker.stop()

    broker = await startBrokerOnObjects(plane(), { store: createStore(), adopt: true })
    await isOpen()

    const [taken] = await broker.writer.read((view) => [...view.reservations()])
    expect(taken).toMatchObject({ requester: 'rome', door: 'rest', legs: [{ clusterId: 'paris' }] })
    await until('rsv', taken?.id ?? '', isActive)
    await gone('rsv', lost)
  })
})
