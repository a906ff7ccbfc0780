import { BrokerRefused, BrokerUnreachable, type WatchOptions } from '@bourse/client'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBrokerWatch, SILENCE_MAX_MS } from './broker-watch.ts'

const AWAY = new BrokerUnreachable('The broker is away.')

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

    await fail(new BrokerRefused('It cannot list them.', { status: 404, code: 'Unsupported' }))
    await clock.advance(SILENCE_MAX_MS)

    expect(watch.trouble()).toBeUndefined()
  })
})

function following() {
  const clock = steppedClock()
  let next = Promise.withResolvers<string>()
  let tell: WatchOptions['onTrouble']
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
    onTrouble: () => {},
    clock,
  })
  watch.start()
  onTestFinished(watch.stop)
  return {
    watch,
    clock,
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
