import { afterEach, describe, expect, it, vi } from 'vitest'
import { createHeavyLine } from './heavy-line.ts'

afterEach(() => void vi.useRealTimers())

/** A line whose jobs take as long as they say; by a clock that only they and timers move. */
function aLine() {
  vi.useFakeTimers({
    toFake: ['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'performance'],
  })
  let workedMs = 0
  const charged: [string, number][] = []
  const done: string[] = []
  const line = createHeavyLine({
    now: () => performance.now(),
    stopwatch: () => {
      const before = workedMs
      return () => workedMs - before
    },
    charge: (caller, elapsedMs) => charged.push([caller, elapsedMs]),
  })
  const work = (caller: string, ms: number, prepaidMs = 0) =>
    line.run(
      caller,
      (timed) =>
        timed(() => {
          workedMs += ms
          done.push(caller)
        }),
      prepaidMs,
    )
  return { line, work, done, charged }
}

describe('createHeavyLine', () => {
  it('lets callers take turns, however many jobs one of them has sent', async () => {
    const { work, done } = aLine()
    for (const caller of ['mallory', 'mallory', 'mallory', 'rome', 'paris']) void work(caller, 10)

    await vi.advanceTimersByTimeAsync(5)

    expect(done).toEqual(['mallory', 'rome', 'paris'])
  })

  it('lets a caller rest three times as long as it has worked', async () => {
    const { work, done, line } = aLine()
    for (let sent = 0; sent < 3; sent += 1) void work('mallory', 10)

    await vi.advanceTimersByTimeAsync(25)
    const before = done.length
    await vi.advanceTimersByTimeAsync(10)

    expect([before, done.length, line.waiting()]).toEqual([1, 2, 1])
  })

  it('charges what was not paid before, also of a job that fails', async () => {
    const { work, line, charged } = aLine()
    const jobs = [
      work('rome', 30, 10),
      work('paris', 5, 10),
      line.run('oslo', () => Promise.reject(new Error('no'))).catch(() => {}),
      work('oslo', 0),
    ]

    await vi.advanceTimersByTimeAsync(100)
    await Promise.all(jobs)

    expect(charged).toEqual([['rome', 20]])
    expect(line.waiting()).toBe(0)
  })
})
