import { describe, expect, it } from 'vitest'
import { watchBursts } from './heap.ts'

/** Work in each second, and after which of them a burst was over. */
function endsAfter(perSecond: readonly number[]): number[] {
  const ends: number[] = []
  let work = 0
  let second = 0
  const look = watchBursts(
    () => work,
    () => ends.push(second),
  )
  for (const more of perSecond) {
    work += more
    second += 1
    look()
  }
  return ends
}

const seconds = (count: number, work: number): number[] => Array(count).fill(work)

describe('a burst of work', () => {
  it.each([
    { what: 'is over after five quiet seconds', work: [900, 200, ...seconds(20, 0)], ends: [7] },
    { what: 'is not over in a pause', work: [900, 0, 0, 200, ...seconds(5, 0)], ends: [9] },
    { what: 'is over beside a trickle', work: [5_000, ...seconds(20, 15)], ends: [6] },
    { what: 'is none if it was small', work: [900, ...seconds(20, 0)], ends: [] },
    { what: 'is no trickle, however long', work: seconds(1_000, 15), ends: [] },
    {
      what: 'is followed by others',
      work: [5_000, ...seconds(6, 0), 5_000, ...seconds(6, 0)],
      ends: [6, 13],
    },
  ])('$what', ({ work, ends }) => {
    expect(endsAfter(work)).toEqual(ends)
  })
})
