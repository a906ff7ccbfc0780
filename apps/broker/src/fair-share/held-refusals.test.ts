import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHeldRefusals } from './held-refusals.ts'

describe('createHeldRefusals', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('tells a few at once and the others at a hundred a second, in order', () => {
    const refusals = createHeldRefusals()
    const told: number[] = []
    let held = 0
    for (let n = 0; n < 25; n += 1)
      refusals.refuse('mallory', { tell: () => told.push(n), hold: () => (held += 1) })

    const atOnce = told.length
    vi.advanceTimersByTime(100)
    const later = told.length
    vi.advanceTimersByTime(1_000)

    expect([atOnce, held, later]).toEqual([10, 15, 20])
    expect(told).toEqual(Array.from({ length: 25 }, (_, n) => n))
    expect([refusals.held(), vi.getTimerCount()]).toEqual([0, 0])
  })

  it('tells fewer of those that cost more', () => {
    const refusals = createHeldRefusals()
    let told = 0
    for (let n = 0; n < 10; n += 1)
      refusals.refuse('mallory', { tell: () => (told += 1), weight: 5 })

    const atOnce = told
    vi.advanceTimersByTime(100)

    expect([atOnce, told]).toEqual([2, 4])
  })

  it('forgets refusals of callers that have gone, so that others hear theirs', () => {
    const refusals = createHeldRefusals()
    let told = 0
    for (let n = 0; n < 100; n += 1) refusals.refuse('mallory', { tell() {}, isGone: () => true })
    refusals.refuse('mallory', { tell: () => (told += 1) })

    vi.advanceTimersByTime(100)

    expect([told, refusals.held()]).toEqual([1, 0])
  })

  it('does not keep other callers waiting', () => {
    const refusals = createHeldRefusals()
    let told = 0
    for (let n = 0; n < 50; n += 1) refusals.refuse('mallory', { tell() {} })

    refusals.refuse('rome', { tell: () => (told += 1) })

    expect(told).toBe(1)
  })

  it('holds a bounded number, and says when one more is not worth an answer', () => {
    const refusals = createHeldRefusals()
    const taken = Array.from({ length: 1_100 }, () => refusals.refuse('mallory', { tell() {} }))

    expect(taken.filter((isTaken) => !isTaken)).toHaveLength(90)
  })
})
