import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@bourse/kube'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { expect, it, onTestFinished } from 'vitest'
import { untilStuck } from '../../../fixtures/peering/native/fake/peers.ts'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import type { BorrowedReservation } from '../port/peering.ts'

const certificates = useCertificates()

const { signal } = new AbortController()
const reservation: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }
/** Watches and standing looks rest longer, a pair that looks again by itself does not. */
const LOOKS_AGAIN_MS_MAX = 10_000

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
  const clock = {
    ...systemClock,
    sleep: (ms: number, stop?: AbortSignal) => {
      naps.push(ms)
      return systemClock.sleep(ms, stop)
    },
  }
  await Promise.all([both.live('paris'), both.live('rome', { client, broker: mute, clock })])
  both.reserve(reservation)

  const borrowing = () => both.peering('rome').borrow(reservation, signal)
  const step = await untilStuck(borrowing, 'NotSeenYet')
  await setImmediate() // after its turn it would have gone to rest, until it looks again

  expect(step.message).toContain('The peering sessions are not known')
  expect(naps.filter((ms) => ms < LOOKS_AGAIN_MS_MAX)).toEqual([])
  speaks.resolve()
  await both.borrow(reservation)
})
