import type { Clock } from '@bourse/kube'

export type BrokerClock = {
  /** The broker's time; the local time before its first answer. */
  now(): number
  isHeard(): boolean
  /** Broker time minus local time, with each answer. */
  heard(offsetMs: number | undefined): void
}

/** Runs by monotonic time, so that setting the local clock has no effect. */
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
