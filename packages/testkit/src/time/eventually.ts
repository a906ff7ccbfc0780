import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS_MIN = 20
const PAUSE_MS_MAX = 500

/** Asks again until it is so; says what was waited for when it never comes. */
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
    // What takes long to ask, such as a kubectl, leaves the machine as long to those that are asked.
    await sleep(Math.min(Math.max(now - askedAt, PAUSE_MS_MIN), PAUSE_MS_MAX))
  }
}
