import { describe, expect, it } from 'vitest'
import { createIdMap } from './id-map.ts'

const MANY = 10_000

describe('createIdMap', () => {
  it('finds what an id leads to, and nothing once it is deleted', () => {
    const map = createIdMap()
    map.set('job-1', 1)
    map.set('job-2', 2)

    expect(map.get('job-2')).toBe(2)
    map.delete('job-2')

    expect(map.get('job-2')).toBeUndefined()
    expect(map.size).toBe(1)
  })

  it('leads to the newer one when an id comes again', () => {
    const map = createIdMap()
    map.set('job-1', 1)
    map.set('job-1', 2)

    expect(map.get('job-1')).toBe(2)
    expect(map.size).toBe(1)
  })

  it('keeps to the order of what it was told before the first question', () => {
    const map = createIdMap()
    map.set('gone', 1)
    map.delete('gone')
    map.set('again', 2)
    map.delete('again')
    map.set('again', 3)

    expect(map.get('gone')).toBeUndefined()
    expect(map.get('again')).toBe(3)
    expect(map.size).toBe(1)
  })

  it('holds more than it lists', () => {
    const map = createIdMap()

    for (let number = 0; number < MANY; number += 1) map.set(`job-${number}`, number)

    expect(map.size).toBe(MANY)
    expect(map.get('job-0')).toBe(0)
    expect(map.get(`job-${MANY - 1}`)).toBe(MANY - 1)
  })
})
