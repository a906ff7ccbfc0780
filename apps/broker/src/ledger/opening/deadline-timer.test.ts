import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Answer } from '../writer/ledger-writer.ts'
import { startDeadlineTimer } from './deadline-timer.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('leaves no timer behind when a tick is under way as it stops', async () => {
  const answered = Promise.withResolvers<Answer>()
  const submit = vi.fn(() => answered.promise)
  const timer = startDeadlineTimer({
    writer: { submit, subscribe: () => () => {} },
    now: Date.now,
    nextDeadline: () => Date.now() + 1_000,
  })
  await vi.advanceTimersByTimeAsync(1_000)

  timer.stop()
  answered.resolve({ outcome: { kind: 'done' }, index: 1 })
  await vi.advanceTimersByTimeAsync(0)

  expect(submit).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})
