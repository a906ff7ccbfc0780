import { anAdvertisement, aRequest } from '@bourse/testkit'
import { expect, it } from 'vitest'
import type { AdvertisementObject, ReservationObject } from './broker-objects.ts'
import { publish } from './publish.ts'
import { createRequests } from './requests.ts'

const place = { clusterId: 'rome', namespace: 'default', seen: () => undefined }
const closing = new AbortController().signal
const clock = { now: () => 0, monotonic: () => 0, random: () => 0, sleep: async () => {} }
const type = { apiVersion: 'broker.fluidos.eu/v1alpha1', kind: 'Of the broker' }
const message = 'rome sends more than its share.'
const busy = { name: 'BrokerBusy', status: 429, message }

const notReady = (observedGeneration: number) => ({
  type: 'Ready',
  status: 'False' as const,
  reason: 'RateLimited',
  message,
  observedGeneration,
  lastTransitionTime: '2030-01-01T00:00:00Z',
})

/** What the API server holds after each look: the object as the broker has left it by then. */
function publishing(...statuses: NonNullable<AdvertisementObject['status']>[]) {
  const written: AdvertisementObject = {
    ...type,
    metadata: { name: 'cluster-rome', generation: 2 },
  }
  const client = {
    apply: async () => written,
    get: async () => ({ ...written, status: statuses.shift() }),
  }
  return publish(
    // All objects here are of one kind.
    { client: client as Parameters<typeof publish>[0]['client'], place, clock, closing },
    anAdvertisement('rome'),
  )
}

it('takes an advertisement that has to wait for a 429', async () => {
  await expect(publishing({ conditions: [notReady(2)] })).rejects.toMatchObject(busy)
})

it('waits on while an earlier advertisement had to wait', async () => {
  const answer = { observedGeneration: 2, conditions: [] }

  expect(await publishing({ conditions: [notReady(1)] }, answer)).toMatchObject({ status: answer })
})

const aRequestObject = (status: NonNullable<ReservationObject['status']>): ReservationObject => ({
  ...type,
  metadata: { name: 'req', uid: 'uid' },
  status,
})

it('does not take the Pending with which each object begins for an answer', async () => {
  const unread = aRequestObject({ phase: 'Pending', message: 'Waiting for the broker.' })
  const decided = aRequestObject({ phase: 'Failed', reason: 'NoClusterFits', message: 'Too much.' })
  const client = { create: async () => unread, delete: async () => {} }
  const { reserve } = createRequests({
    client: client as unknown as Ports['client'],
    place,
    closing,
    requested: { until: async (find) => find([unread]) ?? find([decided]) },
    stamp: () => Promise.reject(new Error('nothing was granted')),
  })

  const outcome = await reserve('job', aRequest({ cpu: '1' }))

  expect(outcome).toMatchObject({ kind: 'refused', message: 'Too much.' })
})

it('takes a request that has to wait for a 429, and leaves it there', async () => {
  const object = aRequestObject({ phase: 'Pending', reason: 'RateLimited', message })
  const client = { create: async () => object } as unknown as Ports['client']
  const { reserve } = createRequests({
    client,
    place,
    closing,
    requested: { until: async (find) => find([object]) },
    stamp: () => Promise.reject(new Error('nothing was answered')),
  })

  await expect(reserve('job', aRequest({ cpu: '1' }))).rejects.toMatchObject(busy)
})
type Ports = Parameters<typeof createRequests>[0]
