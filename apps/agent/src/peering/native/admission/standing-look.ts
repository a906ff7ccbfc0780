import { createSignal } from '@bourse/daemon/signal'
import { type Clock, pause } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'

type Ports<T> = Readonly<{
  look(signal: AbortSignal): Promise<T>
  /** The condition's type, and what it says of what was found. */
  type: string
  judge(found: T): Omit<Step, 'type'>
  clock: Pick<Clock, 'sleep'>
}>

/** Rarely changed, and by hand; an operator who fixes it wants to see that soon. */
const LOOK_AGAIN_MS = 300_000
const MENDED_AGAIN_MS = 15_000

/** Checks something at intervals, without a watch, and shows it as a condition. */
export function createStandingLook<T>({ look, type, judge, clock }: Ports<T>) {
  const changed = createSignal()
  const stopping = new AbortController()
  let found: T | undefined
  let trouble: string | undefined
  let watching: Promise<void> = Promise.resolve()

  return {
    /** Undefined before the first check. */
    found: () => found,
    condition,
    /** Told after each change. */
    subscribe: changed.subscribe,
    start(): void {
      watching = watch()
    },
    async stop(): Promise<void> {
      stopping.abort()
      await watching
    },
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const before = JSON.stringify(condition())
      await look(stopping.signal).then(
        (now) => {
          found = now
          trouble = undefined
        },
        (thrown: Error) => {
          trouble = thrown.message
        },
      )
      const after = condition()
      if (JSON.stringify(after) !== before) changed.tell()
      const isFine = after.status === 'True'
      await pause(clock, isFine ? LOOK_AGAIN_MS : MENDED_AGAIN_MS, stopping.signal)
    }
  }

  function condition(): Step {
    if (trouble !== undefined)
      return { type, status: 'Unknown', reason: 'NotReadable', message: `Not known: ${trouble}` }
    if (found === undefined)
      return { type, status: 'Unknown', reason: 'NotLookedYet', message: 'Not checked yet.' }
    return { type, ...judge(found) }
  }
}
