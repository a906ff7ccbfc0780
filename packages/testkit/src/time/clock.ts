import { setTimeout as startTimer } from 'node:timers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Clock } from '@bourse/kube'

/**
 * Sleeps are shortened by this factor, for tests with a real server. Only sleeps are: a busy machine
 * must not use up the timeout of a call. Chance is always half.
 */
export function hurriedClock(times: number): Clock & { readonly sleeps: readonly number[] } {
  const sleeps: number[] = []
  let skippedMs = 0
  return {
    sleeps,
    now: () => Date.now(),
    monotonic: () => performance.now() + skippedMs,
    random: () => 0.5,
    async sleep(ms, signal) {
      sleeps.push(ms)
      await setTimeout(ms / times, undefined, signal ? { signal } : {})
      skippedMs += ms - ms / times
    },
  }
}

/**
 * Real time that a test may also move on: a minute passes when the test says so, however busy the
 * machine is.
 */
export function movableClock(): Clock & { moveOn(ms: number): void } {
  let aheadMs = 0
  const sleepers = new Set<() => void>()
  const monotonic = () => performance.now() + aheadMs

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = monotonic() + ms
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const setTimer = () => {
        clearTimeout(timer)
        timer = startTimer(wake, Math.max(0, wakeAt - monotonic()))
      }
      const leave = () => {
        clearTimeout(timer)
        sleepers.delete(setTimer)
        signal?.removeEventListener('abort', wakeEarly)
      }
      const wake = () => {
        leave()
        resolve()
      }
      const wakeEarly = () => {
        leave()
        reject(signal?.reason)
      }
      sleepers.add(setTimer)
      signal?.addEventListener('abort', wakeEarly, { once: true })
      if (signal?.aborted) wakeEarly()
      else setTimer()
    })
  }

  return {
    now: () => Date.now() + aheadMs,
    monotonic,
    random: () => 0.5,
    sleep,
    moveOn(ms) {
      aheadMs += ms
      for (const setTimer of sleepers) setTimer()
    },
  }
}

type Sleeper = { wakeAt: number; wake(): void }

/** Time that stands still until it is moved. */
export function steppedClock(): Clock & { advance(ms: number): Promise<void> } {
  const startedAt = Date.UTC(2026, 0, 1)
  let elapsed = 0
  let sleepers: Sleeper[] = []

  async function advance(ms: number): Promise<void> {
    const until = elapsed + ms
    await settle()
    for (let next = firstDue(until); next; next = firstDue(until)) {
      elapsed = Math.max(elapsed, next.wakeAt)
      next.wake()
      await settle()
    }
    elapsed = until
  }

  function firstDue(until: number): Sleeper | undefined {
    const due = sleepers.filter(({ wakeAt }) => wakeAt <= until)
    return due.sort((a, b) => a.wakeAt - b.wakeAt)[0]
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveWith = (end: () => void) => () => {
        sleepers = sleepers.filter((one) => one !== sleeper)
        end()
      }
      const sleeper = { wakeAt: elapsed + ms, wake: leaveWith(resolve) }
      sleepers.push(sleeper)
      const wakeEarly = leaveWith(() => reject(signal?.reason))
      signal?.addEventListener('abort', wakeEarly, { once: true })
    })
  }

  return {
    now: () => startedAt + elapsed,
    monotonic: () => elapsed,
    random: () => 0.5,
    sleep,
    advance,
  }
}

/** Enough turns of the event loop for everything that does not wait for time. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await setImmediate()
}
