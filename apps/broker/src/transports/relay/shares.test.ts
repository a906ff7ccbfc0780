import { describe, expect, it } from 'vitest'
import { createShares } from './shares.ts'

describe('what callers share', () => {
  it('ends for each of them, and is there again when it is given back', () => {
    const shares = createShares({ perCaller: 2, inAll: 10, always: 0 })

    const taken = [shares.take('rome'), shares.take('rome'), shares.take('rome')]
    shares.giveBack('rome')

    expect(taken).toEqual([true, true, false])
    expect(shares.take('rome')).toBe(true)
    expect(shares.sum()).toBe(2)
  })

  it('ends for all together, but for those that have little', () => {
    const shares = createShares({ perCaller: 10, inAll: 12, always: 3 })
    shares.take('mallory', 10)

    expect(shares.take('eve', 2)).toBe(true)
    expect(shares.take('eve', 2)).toBe(false)
    expect(shares.take('rome', 3)).toBe(true)
    expect(shares.take('rome', 1)).toBe(false)
    expect(shares.sum()).toBe(15)
  })
})
