import { expect, it } from 'vitest'
import { priceFor } from './price.ts'

const GIB = 2n ** 30n

it.each([
  {
    name: 'cores, GiB and GPUs of any kind add up', // 2 × 10 + 4 × 5 + 3 × 100
    wanted: { cpu: 2_000n, memory: 4n * GIB, 'nvidia.com/gpu': 1n, 'amd.com/gpu': 2n },
    prices: { cpu: 10n, memory: 5n, gpu: 100n },
    price: 340n,
  },
  {
    name: 'what has no price adds nothing',
    wanted: { cpu: 1_000n, memory: GIB },
    prices: { cpu: 10n },
    price: 10n,
  },
  { name: 'free is a price', wanted: { cpu: 1_000n }, prices: { cpu: 0n }, price: 0n },
  {
    name: 'the nearest billionth is told',
    wanted: { cpu: 1_500n },
    prices: { cpu: 1n },
    price: 2n,
  },
  {
    name: 'a price for something else is none',
    wanted: { cpu: 1_000n },
    prices: { gpu: 9n },
    price: undefined,
  },
  {
    name: 'a resource that is never priced is none',
    wanted: { pods: 1n },
    prices: { cpu: 1n },
    price: undefined,
  },
])('$name', ({ wanted, prices, price }) => {
  expect(priceFor(wanted, prices)).toBe(price)
})
