import { expect, it } from 'vitest'
import { targetOf } from './reservation.ts'

const resources = { cpu: 1_000n }

it.each([
  { name: 'the only provider', of: ['paris'], target: 'paris' },
  { name: 'the first of several', of: ['paris', 'oslo'], target: 'paris' },
  { name: 'none while no provider lends anything', of: [], target: undefined },
])('the target of a reservation is $name', ({ of, target }) => {
  expect(targetOf({ legs: of.map((clusterId) => ({ clusterId, resources })) })).toBe(target)
})
