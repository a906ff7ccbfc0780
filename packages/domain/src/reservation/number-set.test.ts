import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNumberSet } from './number-set.ts'

describe('createNumberSet', () => {
  it('counts and lists what was added', () => {
    const numbers = createNumberSet()

    for (const number of [1, 5, 9]) numbers.add(number)

    expect(numbers.size).toBe(3)
    expect([...numbers]).toEqual([1, 5, 9])
  })

  it('counts a number once, though two legs of one reservation name it', () => {
    const numbers = createNumberSet()

    numbers.add(7)
    numbers.add(7)

    expect(numbers.size).toBe(1)
  })

  it('says whether there was anything to delete', () => {
    const numbers = createNumberSet()
    numbers.add(0)

    expect(numbers.delete(0)).toBe(true)
    expect(numbers.delete(0)).toBe(false)
    expect(numbers.has(0)).toBe(false)
  })

  it('an iteration reaches the end although numbers are deleted meanwhile', () => {
    const numbers = createNumberSet()
    for (let number = 0; number < 100; number += 1) numbers.add(number)

    const seen: number[] = []
    for (const number of numbers) {
      seen.push(number)
      numbers.delete(number)
    }

    expect(seen).toHaveLength(100)
    expect(numbers.size).toBe(0)
  })

  it('agrees with a set, for any additions and deletions in any order', () => {
    const step = fc.record({ isLeaving: fc.boolean(), number: fc.nat({ max: 60 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const numbers = createNumberSet()
        const expected = new Set<number>()
        for (const { isLeaving, number } of steps) {
          if (isLeaving) expect(numbers.delete(number)).toBe(expected.delete(number))
          else {
            numbers.add(number)
            expected.add(number)
          }
          expect(numbers.has(number)).toBe(!isLeaving)
        }
        expect(numbers.size).toBe(expected.size)
        expect([...numbers]).toEqual([...expected].sort((one, other) => one - other))
      }),
    )
  })
})
