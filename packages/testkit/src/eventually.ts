import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 20

/** Asks again until it is so; says what was waited for when it never comes. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 30_000,
): Promise<T> {
  for (const giveUpAt = performance.now() + withinMs; ; ) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > giveUpAt) throw new Error(`${what}: still not so after ${withinMs} ms.`)
    await sleep(PAUSE_MS)
  }
}
