import { describe, expect, it } from 'vitest'
import { createIdMap } from './id-map.ts'
import { createIdSet } from './id-set.ts'

const MANY = 10_000

describe('createIdSet', () => {
  it('counts and lists what was added, in that order', () => {
    const ids = createIdSet()

    for (const id of ['b', 'a', 'c']) ids.add(id)

    expect(ids.size).toBe(3)
    expect([...ids]).toEqual(['b', 'a', 'c'])
  })

  it('counts an id once, though two legs of one reservation name it', () => {
    const ids = createIdSet()

    ids.add('a')
    ids.add('a')

    expect(ids.size).toBe(1)
  })

  it('goes on as a set after the first question', () => {
    const ids = createIdSet()
    ids.add('a')
    ids.add('b')

    expect(ids.delete('a')).toBe(true)
    expect(ids.delete('a')).toBe(false)
    ids.add('c')

    expect(ids.has('a')).toBe(false)
    expect([...ids]).toEqual(['b', 'c'])
    expect(ids.size).toBe(2)
  })

  it('holds more than it lists', () => {
    const ids = createIdSet()

    for (let number = 0; number < MANY; number += 1) ids.add(`id-${number}`)

    expect(ids.size).toBe(MANY)
    expect(ids.has('id-0')).toBe(true)
    expect(ids.has(`id-${MANY}`)).toBe(false)
  })
})

describe('createIdMap', () => {
  it('finds what an id leads to, and nothing once it is deleted', () => {
    const map = createIdMap()
    map.set('job-1', 'rsv-1')
    map.set('job-2', 'rsv-2')

    expect(map.get('job-2')).toBe('rsv-2')
    expect(map.delete('job-2')).toBe(true)

    expect(map.get('job-2')).toBeUndefined()
    expect(map.size).toBe(1)
  })

  it('leads to the newer one when an id comes again', () => {
    const map = createIdMap()
    map.set('job-1', 'rsv-1')
    map.set('job-1', 'rsv-2')

    expect(map.get('job-1')).toBe('rsv-2')
    expect(map.size).toBe(1)
  })

  it('holds more than it lists', () => {
    const map = createIdMap()

    for (let number = 0; number < MANY; number += 1) map.set(`job-${number}`, `rsv-${number}`)

    expect(map.size).toBe(MANY)
    expect(map.get('job-0')).toBe('rsv-0')
    expect(map.get(`job-${MANY - 1}`)).toBe(`rsv-${MANY - 1}`)
  })
})
