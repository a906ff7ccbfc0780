import { expect, it } from 'vitest'
import { defaultPolicy, parseWeights } from './policy.ts'

it('counts resources 70 and cost 30 unless told otherwise', () => {
  expect(defaultPolicy.version).toBe('resources=70,cost=30')
})

it.each([
  { text: 'resources=70,cost=30', version: 'resources=70,cost=30' },
  { text: ' cost = 1, resources = 2 ', version: 'resources=2,cost=1' },
  { text: 'cost=100', version: 'cost=100' },
  { text: 'resources=1,cost=0', version: 'resources=1' },
])('reads "$text" as $version', ({ text, version }) => {
  expect(parseWeights(text)).toMatchObject({ kind: 'ok', policy: { version } })
})

it.each([
  { text: '', reason: 'is not a weight' },
  { text: 'resources', reason: 'is not a weight' },
  { text: 'resources=-1', reason: 'is not a weight' },
  { text: 'resources=0.7', reason: 'is not a weight' },
  { text: 'luck=1', reason: 'there are resources, cost' },
  { text: 'cost=1,cost=2', reason: 'two weights' },
  { text: 'cost=1001', reason: 'above 1000' },
  { text: 'cost=0', reason: 'at least one weight' },
])('refuses "$text": $reason', ({ text, reason }) => {
  expect(parseWeights(text)).toEqual({ kind: 'bad', reason: expect.stringContaining(reason) })
})
