import { describe, expect, it } from 'vitest'
import { busyMs, startStopwatch } from './stopwatch.ts'

describe('busyMs', () => {
  it.each([
    { name: 'short work is measured by the clock', elapsedMs: 0.3, cpuMs: 0, busy: 0.3 },
    { name: 'a step of the other clock is not charged', elapsedMs: 0.3, cpuMs: 4, busy: 0.3 },
    { name: 'long work is what the thread did', elapsedMs: 80, cpuMs: 30, busy: 30 },
    { name: 'a thread that was kept waiting pays for a step', elapsedMs: 80, cpuMs: 0, busy: 4 },
  ])('$name', ({ elapsedMs, cpuMs, busy }) => {
    expect(busyMs(elapsedMs, cpuMs)).toBe(busy)
  })
})

describe('startStopwatch', () => {
  it('runs while the thread works', () => {
    const read = startStopwatch()
    const until = performance.now() + 20
    while (performance.now() < until);

    expect(read()).toBeGreaterThan(0)
  })
})
