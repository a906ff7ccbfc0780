import type { Clock } from '@bourse/kube'

export type BrokerClock = {
  /** The broker's time; the local clock until the broker was heard. */
  now(): number
  isHeard(): boolean
  /** With each answer: what to add to the local clock. */
  heard(offsetMs: number | undefined): void
}

/** Once heard it runs by itself: a local clock that is set meanwhile changes nothing. */
export function createBrokerClock(clock: Pick<Clock, 'now' | 'monotonic'>): BrokerClock {
  let heard: { brokerTime: number; at: number } | undefined
  return {
    now: () => (heard ? heard.brokerTime + (clock.monotonic() - heard.at) : clock.now()),
    isHeard: () => heard !== undefined,
    heard(offsetMs) {
      if (offsetMs === undefined) return
      heard = { brokerTime: clock.now() + offsetMs, at: clock.monotonic() }
    },
  }
}
