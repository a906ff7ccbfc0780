import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { notTheRequester } from './not-the-requester-filter.ts'

describe('the filter of the requester itself', () => {
  it('refuses the cluster that asks, and no other', () => {
    const refused = refusedBy(notTheRequester, { rome: {}, paris: {} }, { requester: 'rome' })

    expect(refused).toEqual({ rome: 'IsRequester' })
  })

  it('refuses none where the requester lends nothing', () => {
    expect(refusedBy(notTheRequester, { paris: {} }, { requester: 'rome' })).toEqual({})
  })
})
