import { rules } from '@bourse/domain/placement'
import { expect, it } from 'vitest'
import { policyFlag } from './policy-flag.ts'

const near = { name: 'near', needs: [], reads: [], score: () => true }
const planted = policyFlag({ ...rules, scorers: [...rules.scorers, near] })

it('takes the name of a planted scorer as a weight', () => {
  expect(planted.parse('resources=60,near=40')).toMatchObject({
    value: { version: 'resources=60,near=40' },
  })
})

it('names it among those there are', () => {
  expect(planted.parse('speed=3')).toMatchObject({
    allowed: expect.stringContaining('of resources, cost, near, each at most 1000'),
  })
})
