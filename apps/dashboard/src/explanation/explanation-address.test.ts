import { describe, expect, it } from 'vitest'
import { explainedId, explanationHref } from './explanation-address.ts'

describe('the address of an explanation', () => {
  it('leads back to the id it was made from', () => {
    expect(explainedId(explanationHref('rsv-7c41e-a'))).toBe('rsv-7c41e-a')
  })

  it.each(['', '#clusters', '#why/', '#why/<b>', '#why/%E0%A4%A'])('%s leads nowhere', (hash) => {
    expect(explainedId(hash)).toBeUndefined()
  })
})
