import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFairShare } from '../../../apps/broker/src/fair-share/index.ts'
import {
  type BrokerOnObjects,
  clearObjects,
  startBrokerOnObjects,
} from '../kubernetes/broker-on-objects.ts'
import {
  aClusterAdvertisement,
  aReservation,
  conditionOf,
  objectsOf,
  type Seen,
  TIMEOUT_MS,
} from '../kubernetes/objects.ts'

const plane = useControlPlane({ kinds: brokerKinds })
const WITHIN = { timeout: TIMEOUT_MS }
let broker: BrokerOnObjects

afterEach(() => broker.stop())

const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'

describe('by objects, a cluster that asks for more than its share', () => {
  const clock = { at: 0 }

  beforeEach(async () => {
    await clearObjects(plane())
    clock.at = 0
    const share = createFairShare({ rate: { perSecond: 1, burst: 2 } }, () => clock.at)
    broker = await startBrokerOnObjects(plane(), { share })
  })

  it('is told so and served later, and another is served at once', async () => {
    const { all, apply, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '100'))
    const asking = (requesterID: string) => ({ requestedResources: { cpu: '1' }, requesterID })
    const names = ['a', 'b', 'c', 'd']
    const reserved = async () => (await all('rsv')).filter(isReserved).length

    await apply(...names.map((name) => aReservation(name, asking('rome'))))
    const delayed = async () =>
      (await all('rsv')).filter(({ status }) => status?.reason === 'RateLimited')
    await expect.poll(async () => (await delayed()).length, WITHIN).toBe(2)
    await apply(aReservation('of-oslo', asking('oslo')))
    await until('rsv', 'of-oslo', isReserved)
    const [told] = await delayed()

    expect(told?.status).toMatchObject({
      ...{ phase: 'Pending', message: 'rome sends more than its share.' },
      conditions: [{ type: 'Ready', status: 'False', reason: 'RateLimited' }],
    })
    expect(await broker.writer.read((view) => view.liveCount)).toBe(3)
    clock.at = 60_000
    await expect.poll(reserved, WITHIN).toBe(5)
  })

  it('advertises what still counts, and is told that the rest is read later', async () => {
    const { apply, patch, until } = objectsOf(plane())
    const offers = (cpu: string) => (seen: Seen) => seen.status?.available?.cpu === cpu
    const grow = (cpu: string) =>
      patch('cadv', 'paris', { spec: { resources: { capacity: { cpu } } } })
    await apply(aClusterAdvertisement('paris', 'paris', '10'))
    await until('cadv', 'paris', offers('10'))
    await grow('11')
    await until('cadv', 'paris', offers('11'))

    await grow('12')
    const isDelayed = (seen: Seen) => conditionOf(seen, 'Ready')?.reason === 'RateLimited'
    const told = await until('cadv', 'paris', isDelayed)

    expect(told.status).toMatchObject({ phase: 'Active', available: { cpu: '11' } })
    expect(told.status?.observedGeneration).toBeLessThan(told.metadata.generation)
    clock.at = 60_000
    await until('cadv', 'paris', offers('12'))
  })
})
