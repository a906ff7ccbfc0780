import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS_MIN = 20
const PAUSE_MS_MAX = 500

/** Asks until the answer is neither undefined nor false; on a timeout the error names `what`. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 30_000,
): Promise<T> {
  for (const giveUpAt = performance.now() + withinMs; ; ) {
    const askedAt = performance.now()
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    const now = performance.now()
    if (now > giveUpAt) throw new Error(`${what}: still not so after ${withinMs} ms.`)
    // After a slow question, such as a kubectl, pause as long as it took: the machine is busy.
    await sleep(Math.min(Math.max(now - askedAt, PAUSE_MS_MIN), PAUSE_MS_MAX))
  }
}
