import { describe, expect, it } from 'vitest'
import { greediestBeyond, lookAt, nothingSeen } from './output-watch.ts'

const deadlines = { endedMs: 5_000, unreadMs: 20_000 }

function anOutput() {
  const state = { unwritten: 0, taken: 0, isEnded: false }
  const output = {
    unwritten: () => state.unwritten,
    taken: () => state.taken,
    isEnded: () => state.isEnded,
    seen: nothingSeen(),
  }
  return { state, output, at: (now: number) => lookAt(output, now, deadlines) }
}

describe('a connection whose answer waits', () => {
  it('is overdue when nothing of it was taken for so long', () => {
    const { state, at } = anOutput()
    state.unwritten = 1_000

    expect([at(1_000), at(20_999), at(21_000)]).toEqual([undefined, undefined, 'unread'])
  })

  it('is not while its reader takes some, however slowly, and also if more is added', () => {
    const { state, at } = anOutput()
    state.unwritten = 1_000
    at(0)
    state.taken += 1
    state.unwritten += 500

    expect([at(19_000), at(38_000)]).toEqual([undefined, undefined])
    expect(at(39_000)).toBe('unread')
  })

  it('is overdue after a minute if its reader took less than a kilobyte a second', () => {
    const { state, at } = anOutput()
    state.unwritten = 100_000
    const trickle = (now: number, bytes: number) => {
      state.taken += bytes
      return at(now)
    }

    trickle(0, 0)
    const slowly = [trickle(15_000, 1), trickle(30_000, 1), trickle(45_000, 1), trickle(59_999, 1)]
    expect(slowly).toEqual([undefined, undefined, undefined, undefined])
    expect(trickle(60_000, 1)).toBe('unread')
    expect(trickle(61_000, 70_000)).toBeUndefined()
  })

  it('begins anew with each answer', () => {
    const { state, at } = anOutput()
    state.unwritten = 1_000
    at(0)
    state.unwritten = 0
    at(15_000)
    state.unwritten = 1_000

    expect(at(25_000)).toBeUndefined()
    expect(at(44_999)).toBeUndefined()
  })
})

describe('a connection', () => {
  it('may be idle for as long as it likes', () => {
    const { at } = anOutput()

    expect([at(1), at(1e9)]).toEqual([undefined, undefined])
  })

  it('that was ended is overdue if the other side does not hang up', () => {
    const { state, at } = anOutput()
    state.isEnded = true

    expect([at(1_000), at(5_999), at(6_000)]).toEqual([undefined, undefined, 'ended'])
  })

  it('that was ended may still take its last answer', () => {
    const { state, at } = anOutput()
    state.isEnded = true
    state.unwritten = 1_000
    at(1_000)
    state.taken = 500

    expect(at(12_000)).toBeUndefined()
  })
})

describe('more unwritten bytes than there may be', () => {
  const waiting = (...sizes: number[]) =>
    sizes.map((unwritten) => ({ caller: 'rome', seen: { ...nothingSeen(), unwritten } }))
  const sizesOf = (found: ReturnType<typeof waiting>) => found.map(({ seen }) => seen.unwritten)

  it.each([
    { sizes: [10, 50, 40], max: 100, given: [] },
    { sizes: [10, 50, 41], max: 100, given: [50] },
    { sizes: [10, 50, 41, 0], max: 10, given: [50, 41] },
  ])('of $sizes above $max are those of $given', ({ sizes, max, given }) => {
    expect(sizesOf(greediestBeyond(waiting(...sizes), max))).toEqual(given)
  })

  it('are given up by the caller that has most in all, not by the one with the largest', () => {
    const many = waiting(20, 20, 30)
    const [one] = waiting(40).map((output) => ({ ...output, caller: 'paris' }))

    const given = greediestBeyond(one ? [one, ...many] : many, 80)

    expect(given).toEqual([many[2]])
  })
})
