import type { ExplainedRow } from '@bourse/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { headline } from './headline.ts'

const PARIS: ExplainedRow = { clusterId: 'paris', verdict: 'chosen' }

describe('the headline of an explanation', () => {
  it.each([
    { what: 'a choice', outcome: 'reserved', refused: {}, says: 'paris was chosen' },
    { what: 'a refusal', outcome: 'refused', refused: {}, says: 'No cluster could take it' },
    {
      what: 'a target that is too small',
      outcome: 'refused',
      pinned: 'oslo',
      refused: { NotTheTarget: 6, IsRequester: 1, Insufficient: 1 },
      says: 'oslo could not take it',
    },
    {
      what: 'an unknown target',
      outcome: 'refused',
      pinned: 'atlantis',
      refused: { NotTheTarget: 7, IsRequester: 1 },
      says: 'atlantis is not known here',
    },
    {
      what: 'a requester that asks for itself',
      outcome: 'refused',
      pinned: 'rome',
      refused: { NotTheTarget: 7, IsRequester: 1 },
      says: 'rome could not take it',
    },
  ] as const)('names $what', ({ says, what: _, ...asked }) => {
    expect(headline({ requester: 'rome', rows: [PARIS], ...asked })).toBe(says)
  })
})
