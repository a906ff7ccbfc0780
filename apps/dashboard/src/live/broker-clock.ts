import { useEffect, useState } from 'preact/hooks'

// Deadlines follow the broker's clock: the clock of this machine may be wrong.
let offsetMs: number | undefined
const listeners = new Set<(now: number) => void>()
let ticking: number | undefined

export function setBrokerTime(now: number): void {
  offsetMs = now - performance.now()
}

const brokerNow = () => (offsetMs === undefined ? Date.now() : performance.now() + offsetMs)

/** The broker's time, once a second, from one timer for the whole page. */
export function useBrokerNow(): number {
  const [now, setNow] = useState(brokerNow)
  useEffect(() => {
    listeners.add(setNow)
    ticking ??= window.setInterval(tick, 1_000)
    return () => {
      listeners.delete(setNow)
      if (listeners.size > 0) return
      window.clearInterval(ticking)
      ticking = undefined
    }
  }, [])
  return now
}

function tick(): void {
  const now = brokerNow()
  for (const listener of listeners) listener(now)
}
