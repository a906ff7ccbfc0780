import { setTimeout as sleep } from 'node:timers/promises'
import { systemPatience } from '@bourse/kube'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { expect, it, onTestFinished } from 'vitest'
import type { BorrowedReservation } from '../peering.ts'
import { createTwoClusters } from './fake/two-clusters.fixture.ts'

const certificates = useCertificates()

const { signal } = new AbortController()
const reservation: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

it('waits for the first word of the broker, and does not look again until then', async () => {
  const both = await createTwoClusters({ issue: certificates().forCluster })
  onTestFinished(both.stop)
  const { client, broker } = both.portsOf('rome')
  const speaks = Promise.withResolvers<void>()
  const naps: number[] = []
  const mute: typeof broker = {
    ...broker,
    async *watchPeerings(options) {
      await speaks.promise
      yield* broker.watchPeerings(options)
    },
  }
  const patience = {
    ...systemPatience,
    sleep: (ms: number, stop?: AbortSignal) => {
      naps.push(ms)
      return systemPatience.sleep(ms, stop)
    },
  }
  await Promise.all([both.live('paris'), both.live('rome', { client, broker: mute, patience })])
  both.reserve(reservation)
  await both.peering('rome').borrow(reservation, signal)
  await sleep(300)

  naps.length = 0
  await sleep(300)

  expect(naps).toEqual([])
  const { steps } = await both.peering('rome').borrow(reservation, signal)
  expect(steps).toMatchObject([
    {
      reason: 'NotSeenYet',
      message: expect.stringContaining('The peering sessions are not known'),
    },
  ])
  speaks.resolve()
  await both.borrow(reservation)
})
