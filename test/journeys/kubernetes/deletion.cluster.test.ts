// Budget: 60 seconds.
import { eventually } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BrokerOnObjects, clearObjects, startBrokerOnObjects } from './broker-on-objects.ts'
import { aClusterAdvertisement, aReservation, objectsOf, TIMEOUT_MS } from './objects.ts'

// With the garbage collector, which is what carries a cascade out.
const plane = useControlPlane({ withControllers: true, kinds: brokerKinds })
let broker: BrokerOnObjects

beforeEach(async () => {
  await clearObjects(plane())
  broker = await startBrokerOnObjects(plane())
  await objectsOf(plane()).apply(aClusterAdvertisement('paris', 'paris', '10'))
})
afterEach(async () => {
  await broker.stop()
  await plane().kubectl(['delete', 'configmap', 'app', '--ignore-not-found'])
})

const live = () => broker.writer.read((view) => view.liveCount)
const isReserved = ({ status }: { status?: { phase?: string } }) => status?.phase === 'Reserved'
const isReleased = () =>
  eventually('released', async () => ((await live()) === 0 ? true : undefined), TIMEOUT_MS)

describe('a Reservation that is deleted', () => {
  it.each(['foreground', 'background', 'orphan'])('with --cascade=%s is released', async (how) => {
    const { apply, until, gone } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isReserved)

    await plane().kubectl(['delete', 'rsv', 'job', `--cascade=${how}`, '--wait=false'])

    await gone('rsv', 'job')
    await isReleased()
  })

  it('while the broker is down, with --cascade=foreground, is released at its return', async () => {
    const { apply, until, gone } = objectsOf(plane())
    await apply(aReservation('job'))
    await until('rsv', 'job', isReserved)
    await broker.stop()

    await plane().kubectl(['delete', 'rsv', 'job', '--cascade=foreground', '--wait=false'])
    broker = await startBrokerOnObjects(plane(), { store: broker.store })

    await gone('rsv', 'job')
    await isReleased()
  })
})

describe('a Reservation that belongs to another object', () => {
  it.each(['foreground', 'background'])('is released with it: --cascade=%s', async (how) => {
    const { until, gone } = objectsOf(plane())
    await ownedBy('app')
    await until('rsv', 'job', isReserved)

    await plane().kubectl(['delete', 'configmap', 'app', `--cascade=${how}`, '--wait=false'])

    await gone('rsv', 'job')
    await isReleased()
  })

  it('stays when it is orphaned', async () => {
    const { until } = objectsOf(plane())
    await ownedBy('app')
    await until('rsv', 'job', isReserved)

    await plane().kubectl(['delete', 'configmap', 'app', '--cascade=orphan'])

    const orphan = await until('rsv', 'job', ({ metadata }) => !('ownerReferences' in metadata))
    expect(orphan.status?.phase).toBe('Reserved')
    expect(await live()).toBe(1)
  })
})

async function ownedBy(name: string): Promise<void> {
  const { kubectl } = plane()
  const uid = await kubectl(['create', 'configmap', name, '--output=jsonpath={.metadata.uid}'])
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }
  const { metadata, ...reservation } = aReservation('job')
  const owned = { ...reservation, metadata: { ...metadata, ownerReferences: [owner] } }
  await objectsOf(plane()).apply(owned)
}
