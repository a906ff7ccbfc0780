import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startResync } from './resync.ts'

const MINUTE_MS = 60_000

describe('the full look at all objects', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is at once, then every minute for reservations and every five for clusters', () => {
    const { looks, resync } = looking()

    const counts = [0, 1, 3, 1].map((minutes) => {
      vi.advanceTimersByTime(minutes * MINUTE_MS)
      return { ...looks }
    })
    resync.stop()

    expect(counts).toEqual([
      { clusters: 1, reservations: 1 },
      { clusters: 1, reservations: 2 },
      { clusters: 1, reservations: 5 },
      { clusters: 2, reservations: 6 },
    ])
  })

  it('ends with the interface', () => {
    const { looks, resync } = looking()

    resync.stop()
    vi.advanceTimersByTime(10 * MINUTE_MS)

    expect(looks).toEqual({ clusters: 1, reservations: 1 })
  })
})

/** One object of each kind that a user made, and how often each was looked at. */
function looking() {
  const looks = { clusters: 0, reservations: 0 }
  const cacheOf = (object: object) => ({ keys: () => ['default/one'], get: () => object })
  const ports = {
    inbound: {
      look: { atCluster: () => looks.clusters++, atReservation: () => looks.reservations++ },
    },
    mirrors: {},
    clusters: cacheOf({ isMirror: false }),
    reservations: cacheOf({ kind: 'asked' }),
    // The other half, what REST made, is looked at by the same timers.
    read: () => Promise.reject(new Error('no ledger here')),
  }
  // Only what this part calls is here.
  const resync = startResync(ports as unknown as Parameters<typeof startResync>[0])
  return { looks, resync }
}
