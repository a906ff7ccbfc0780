import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { Mark } from '../board/board.ts'
import { fresh } from './fresh-filter.ts'

describe('the filter of stale clusters', () => {
  it('refuses every stale cluster, marked otherwise or not', () => {
    const clusters = {
      paris: { marks: Mark.stale },
      berlin: { marks: Mark.stale | Mark.cordoned },
      oslo: { marks: Mark.cordoned },
      turin: {},
    }

    expect(refusedBy(fresh, clusters)).toEqual({ paris: 'Stale', berlin: 'Stale' })
  })

  it('refuses none where none is stale', () => {
    expect(refusedBy(fresh, { paris: {}, berlin: {} })).toEqual({})
  })
})
