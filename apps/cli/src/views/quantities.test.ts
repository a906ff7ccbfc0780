import { describe, expect, it } from 'vitest'
import { describeQuantities, roundQuantity } from './quantities.ts'

describe('roundQuantity', () => {
  it.each([
    ['cpu', '5950m', '5.95'],
    ['cpu', '2', '2'],
    ['cpu', '999u', '0'], // less than a thousandth of a core
    ['memory', '8025424Ki', '7.65Gi'], // 7.6536…: never shown larger than it is
    ['memory', '4Gi', '4Gi'],
    ['memory', '512', '512 B'],
    ['memory', '0', '0'],
    ['storage', '20Gi', '20Gi'],
    ['nvidia.com/gpu', '2', '2'],
    ['pods', '4096', '4096'],
    ['cpu', 'plenty', 'plenty'],
  ])('%s %s is %s', (name, written, shown) => {
    expect(roundQuantity(name, written)).toBe(shown)
  })
})

describe('describeQuantities', () => {
  it('names every amount but those that are none', () => {
    const described = describeQuantities({ cpu: '500m', memory: '4Gi', gpu: '0' })

    expect(described).toBe('0.5 cpu, 4Gi memory')
  })

  it('says the words in which people ask', () => {
    const described = describeQuantities({ 'nvidia.com/gpu': '2', 'amd.com/gpu': '1', memory: '4' })

    expect(described).toBe('2 gpu, 1 amd.com/gpu, 4 B memory')
  })
})
