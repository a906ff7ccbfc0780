import { describe, expect, it } from 'vitest'
import { createMirrorPace, createPace } from './mirror-pace.ts'

const { signal } = new AbortController()

type Work = Readonly<{ busyMs: number; everyMs?: number }>

/** A writer that works for the first part of every so many milliseconds, beside mirrors. */
function beside({ busyMs, everyMs = 50 }: Work) {
  const clock = { now: 0 }
  const wholeTurns = () => Math.floor(clock.now / everyMs)
  const writer = {
    busyMs: () => wholeTurns() * busyMs + Math.min(busyMs, clock.now - wholeTurns() * everyMs),
  }
  const pace = createMirrorPace(writer, {
    monotonic: () => clock.now,
    async sleep(ms) {
      clock.now += ms
    },
  })
  return { pace, clock }
}

type Span = Readonly<{ fromMs: number; toMs: number }>

/** How many mirrors pass between two moments, if all the time some want to. */
async function passing(work: Work, { fromMs, toMs }: Span): Promise<number> {
  const { pace, clock } = beside(work)
  let writes = 0
  for (;;) {
    await pace.take(signal)
    if (clock.now >= toMs) return writes
    if (clock.now >= fromMs) writes++
  }
}

const idle = { busyMs: 0 }
const busy = { busyMs: 50 }
const tenSeconds = { fromMs: 10_000, toMs: 20_000 }

describe('the pace of the mirrors', () => {
  it('is five hundred writes a second while the writer is idle', async () => {
    expect((await passing(idle, tenSeconds)) / 10).toBeCloseTo(500, -2)
  })

  it('falls with the share of the time in which the writer is busy', async () => {
    const halfTheTime = (await passing({ busyMs: 25 }, tenSeconds)) / 10

    expect(halfTheTime).toBeGreaterThan(45)
    expect(halfTheTime).toBeLessThan(110)
  })

  it('is four a second when the writer is always busy', async () => {
    expect((await passing(busy, tenSeconds)) / 10).toBeCloseTo(4, 0)
  })

  it('falls within a moment when a load begins', async () => {
    // 500 unless it falls.
    expect(await passing(busy, { fromMs: 0, toMs: 1_000 })).toBeLessThan(60)
  })

  it('is four a second while one answer takes long', async () => {
    const stuck = { busyMs: 60_000, everyMs: 60_000 }

    expect((await passing(stuck, tenSeconds)) / 10).toBeCloseTo(4, 0)
  })
})

describe('the pace of events', () => {
  it('is that of a recorder while the writer is idle', () => {
    expect(beside(idle).pace.eventsPerSecond()).toBe(25)
  })

  it('is one a second when the writer is always busy', async () => {
    const { pace, clock } = beside(busy)

    while (clock.now < 1_000) await pace.take(signal)

    expect(pace.eventsPerSecond()).toBe(1)
  })
})

function aPace(perSecond: number, burst: number) {
  const clock = { now: 0 }
  const slept: number[] = []
  const pace = createPace({
    perSecond: () => perSecond,
    burst: () => burst,
    monotonic: () => clock.now,
    async sleep(ms) {
      slept.push(ms)
      clock.now += ms
    },
  })
  return { pace, clock, slept }
}
describe('a pace', () => {
  it('lets a burst through at once, and then so many a second', async () => {
    const { pace, slept } = aPace(10, 2)

    for (const _ of [1, 2, 3, 4]) await pace.take(signal)

    expect(slept).toEqual([100, 100])
  })

  it('saves up no more than a burst while nothing happens', async () => {
    const { pace, clock, slept } = aPace(10, 2)
    await pace.take(signal)
    clock.now += 60_000

    for (const _ of [1, 2, 3]) await pace.take(signal)

    expect(slept).toEqual([100])
  })
})
