import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { pinned } from './pinned-filter.ts'

describe('the filter of requests that insist on a provider', () => {
  const clusters = { paris: {}, berlin: {}, oslo: {} }

  it.each([
    {
      name: 'refuses all but the wanted provider',
      request: { pinned: 'berlin' },
      refused: { paris: 'NotTheTarget', oslo: 'NotTheTarget' },
    },
    {
      name: 'refuses all where the wanted provider is not known',
      request: { pinned: 'turin' },
      refused: { paris: 'NotTheTarget', berlin: 'NotTheTarget', oslo: 'NotTheTarget' },
    },
    { name: 'lets all pass where any will do', request: {}, refused: {} },
  ])('$name', ({ request, refused }) => {
    expect(refusedBy(pinned, clusters, request)).toEqual(refused)
  })
})
