import type { Clock } from '@bourse/kube'

export type BrokerClock = ReturnType<typeof createBrokerClock>

/** Runs by monotonic time, so that setting the local clock has no effect. */
export function createBrokerClock(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let heard: { brokerTime: number; at: number } | undefined
  return {
    /** The broker's time; the local time before its first answer. */
    now: (): number => (heard ? heard.brokerTime + (clock.monotonic() - heard.at) : clock.now()),
    isHeard: (): boolean => heard !== undefined,
    /** Broker time minus local time, with each answer. */
    heard(offsetMs: number | undefined): void {
      if (offsetMs === undefined) return
      heard = { brokerTime: clock.now() + offsetMs, at: clock.monotonic() }
    },
  }
}
