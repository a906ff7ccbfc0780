import { KubeError } from '../client/errors.ts'
import type { Clock } from '../time/clock.ts'

/** Detects a connection that has died without being closed. */
export function createStallWatch(
  silenceMaxMs: number,
  { monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'>,
  outer: AbortSignal,
) {
  const connection = new AbortController()
  const signal: AbortSignal = connection.signal
  const done = new AbortController()
  let heardAt = monotonic()
  const giveUp = () => connection.abort(outer.reason)
  if (outer.aborted) giveUp()
  outer.addEventListener('abort', giveUp, { once: true })

  async function guard(): Promise<void> {
    for (;;) {
      const leftMs = heardAt + silenceMaxMs - monotonic()
      if (leftMs <= 0) return connection.abort(silent(silenceMaxMs))
      await sleep(leftMs, done.signal)
    }
  }
  guard().catch((thrown) => {
    if (!done.signal.aborted) connection.abort(thrown)
  })

  return {
    /** Fires when nothing was heard for too long, or with the outer signal. */
    signal,
    heard(): void {
      heardAt = monotonic()
    },
    [Symbol.dispose]() {
      outer.removeEventListener('abort', giveUp)
      done.abort()
    },
  }
}

function silent(ms: number): KubeError {
  return new KubeError(`The watch sent nothing for ${ms} ms, not even a bookmark.`, {
    reason: 'Stalled',
  })
}
