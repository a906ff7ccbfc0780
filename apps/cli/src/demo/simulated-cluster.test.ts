import type { BrokerCommunicator, InstructionsAnswer, WatchOptions } from '@bourse/client'
import type { AdvertisementInput, Reservation } from '@bourse/contract'
import { eventually } from '@bourse/testkit'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createChance } from './chance.ts'
import { createSimulatedCluster } from './simulated-cluster.ts'

const ATHENS = {
  clusterId: 'athens',
  name: 'Athens lab',
  location: 'eu-south',
  pools: [{ count: 2, cpu: 8, memoryGi: 32 }],
  load: { usual: 0.5, swing: 0 },
  price: { cpu: '0.045', memory: '0.0055' },
}
const RESERVATION: Reservation = {
  id: '2sdqvyp4xb',
  requesterID: 'rome',
  targetClusterID: 'athens',
  requestedResources: { cpu: '4', memory: '8Gi' },
  status: { phase: 'Active', message: '' },
  createdAt: '2026-01-01T00:00:00Z',
  priority: 0,
  index: 1,
}

describe('a simulated cluster', () => {
  it('says how much of an active reservation is in use, so that it is counted once', async () => {
    const { broker, published } = aBrokerThatHolds(RESERVATION)
    await living(broker)

    await eventually('something of it is used', async () => {
      const used = published.at(-1)?.used?.[RESERVATION.id]
      return Number.parseInt(String(used?.cpu ?? '0'), 10) > 0
    })
  })

  it('says that nothing of a reservation is in use that is only reserved', async () => {
    const { broker, published } = aBrokerThatHolds({
      ...RESERVATION,
      status: { phase: 'Reserved', message: '' },
    })
    await living(broker)

    expect(published.at(-1)?.used ?? {}).toEqual({})
  })

  it('says where its API server is, and has nothing to complain of', async () => {
    const { broker, published } = aBrokerThatHolds(RESERVATION)

    const { onTrouble } = await living(broker)

    expect(published.at(-1)?.endpointURL).toBe('https://athens.example:6443')
    expect(onTrouble).not.toHaveBeenCalled()
  })
})

async function living(broker: BrokerCommunicator) {
  const onTrouble = vi.fn()
  const end = new AbortController()
  const cluster = await createSimulatedCluster({
    city: ATHENS,
    broker,
    address: { url: 'https://broker.example:8443', certPath: '/certs' },
    chance: createChance(1),
    signal: end.signal,
    onTrouble,
  })
  onTestFinished(async () => {
    end.abort()
    await cluster.stop()
  })
  await cluster.start()
  return { onTrouble }
}

function aBrokerThatHolds(reservation: Reservation) {
  const published: AdvertisementInput[] = []
  const instructions = [reservation]

  async function* once<T>(answer: T, { signal }: WatchOptions) {
    yield answer
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  const broker = {
    watchInstructions: (options: WatchOptions) =>
      once<InstructionsAnswer>({ ledgerId: 'L1', index: 1, instructions }, options),
    watchReservations: (options: WatchOptions) =>
      once({ ledgerId: 'L1', index: 1, reservations: [] }, options),
    async publishAdvertisement(advertisement: AdvertisementInput) {
      published.push(advertisement)
      return { ledgerId: 'L1', index: 1, instructions, advertisement }
    },
  }
  // A city that borrows nothing asks nothing else of it.
  return { published, broker: broker as unknown as BrokerCommunicator }
}
