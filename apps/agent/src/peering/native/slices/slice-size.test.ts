import { describe, expect, it } from 'vitest'
import { covers, exceeds, isSameSize, shortOf, sizeOf } from './slice-size.ts'

describe('the size of a slice', () => {
  it('is exactly what is reserved, with slots for pods where none are named', () => {
    const size = sizeOf({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' })

    expect(size).toEqual({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1', pods: '110' })
  })

  it('has as many pods as are reserved, where they are', () => {
    expect(sizeOf({ cpu: '2', pods: '5' })).toEqual({ cpu: '2', pods: '5' })
  })

  it('has zero of what was asked before and is not any more', () => {
    const size = sizeOf({ cpu: '2' }, { cpu: '4', 'nvidia.com/gpu': '1', pods: '110' })

    expect(size).toEqual({ cpu: '2', 'nvidia.com/gpu': '0', pods: '110' })
  })

  it.each([
    [{ cpu: '2' }, { cpu: '2000m' }, true],
    [{ memory: '4Gi' }, { memory: '4294967296' }, true],
    [{ cpu: '2', 'nvidia.com/gpu': '0' }, { cpu: '2' }, true],
    [{ cpu: '2' }, { cpu: '2', memory: '1Gi' }, false],
  ])('%j and %j are the same: %s', (one, other, isSame) => {
    expect(isSameSize(one, other)).toBe(isSame)
  })

  it('is on a node that has it, also if the node shows more', () => {
    expect(covers({ cpu: '2', pods: '110', 'hugepages-2Mi': '0' }, { cpu: '2' })).toBe(true)
    expect(covers({ cpu: '4' }, { cpu: '2' })).toBe(false)
  })

  it('tells of what less was granted than asked for', () => {
    const granted = { cpu: '1', memory: '4Gi' }

    const short = shortOf(granted, { cpu: '2000m', memory: '4Gi', 'nvidia.com/gpu': '1' })

    expect(short).toEqual(['1 of 2 cpu', '0 of 1 nvidia.com/gpu'])
  })

  it('is smaller than what was granted only where it names less', () => {
    expect(exceeds({ cpu: '2' }, { cpu: '1' })).toBe(true)
    expect(exceeds({ cpu: '2', memory: '4Gi' }, { cpu: '2' })).toBe(false)
  })
})
