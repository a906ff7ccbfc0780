import { BrokerRefused, BrokerUnreachable, type WatchOptions } from '@bourse/client'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBrokerWatch, SILENCE_MAX_MS } from './broker-watch.ts'

const AWAY = new BrokerUnreachable('The broker is away.')
const UNKNOWN_CALL = new BrokerRefused('No such call.', { status: 404, code: 'Unsupported' })

describe('an agent that follows its broker', () => {
  it('has no trouble with one that is back before long', async () => {
    const { watch, clock, answer, fail } = following()
    await answer()

    await fail(AWAY)
    await clock.advance(SILENCE_MAX_MS - 1)
    const meanwhile = watch.trouble()
    await answer()
    await clock.advance(SILENCE_MAX_MS)

    expect(meanwhile).toBeUndefined()
    expect(watch.trouble()).toBeUndefined()
  })

  it('says what is the matter with one that stays away, until it is heard again', async () => {
    const { watch, clock, answer, fail } = following()
    await answer()

    await fail(AWAY)
    await clock.advance(SILENCE_MAX_MS)
    const meanwhile = watch.trouble()
    await answer()

    expect(meanwhile).toBe('The broker is away.')
    expect(watch.trouble()).toBeUndefined()
  })

  it('says that nothing was ever heard', async () => {
    const { watch, clock } = following()

    await clock.advance(SILENCE_MAX_MS)

    expect(watch.trouble()).toBe('the broker has not answered yet')
  })

  it('has no trouble with one that cannot tell such things at all', async () => {
    const { watch, clock, fail } = following()

    await fail(UNKNOWN_CALL)
    await clock.advance(SILENCE_MAX_MS)

    expect(watch.trouble()).toBeUndefined()
  })

  it('says once that a broker cannot tell such things, and again after one that could', async () => {
    const { told, answer, fail } = following()

    await fail(UNKNOWN_CALL)
    await fail(UNKNOWN_CALL)
    await fail(AWAY)
    await fail(UNKNOWN_CALL)
    const before = [...told]
    await answer()
    await fail(UNKNOWN_CALL)

    expect(before).toEqual([UNKNOWN_CALL, AWAY])
    expect(told).toEqual([UNKNOWN_CALL, AWAY, UNKNOWN_CALL])
  })
})

function following() {
  const clock = steppedClock()
  let next = Promise.withResolvers<string>()
  let tell: WatchOptions['onTrouble']
  const told: Error[] = []
  const watch = createBrokerWatch<string>({
    async *watch({ signal, onTrouble }) {
      tell = onTrouble
      const aborted = new Promise<undefined>((resolve) =>
        signal.addEventListener('abort', () => resolve(undefined)),
      )
      for (;;) {
        const told = await Promise.race([next.promise, aborted])
        if (told === undefined) return
        next = Promise.withResolvers()
        yield told
      }
    },
    take: () => {},
    onTrouble: (error) => void told.push(error),
    clock,
  })
  watch.start()
  onTestFinished(watch.stop)
  return {
    watch,
    clock,
    told,
    async answer(): Promise<void> {
      next.resolve('an answer')
      await clock.advance(0)
    },
    /** As a client says it that tries again by itself. */
    async fail(error: Error): Promise<void> {
      await clock.advance(0)
      tell?.(error, 500)
    },
  }
}
