import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { Mark } from '../board/board.ts'
import { accepting } from './accepting-filter.ts'

describe('the filter of clusters that accept nothing new', () => {
  it.each([
    { name: 'lets an open cluster pass', marks: 0, refused: {} },
    { name: 'refuses a cordoned one', marks: Mark.cordoned, refused: { paris: 'Cordoned' } },
    { name: 'refuses a withdrawn one', marks: Mark.withdrawn, refused: { paris: 'Withdrawn' } },
    {
      name: 'tells of the withdrawal where a cluster is both',
      marks: Mark.cordoned | Mark.withdrawn,
      refused: { paris: 'Withdrawn' },
    },
    { name: 'leaves a stale one to others', marks: Mark.stale, refused: {} },
  ])('$name', ({ marks, refused }) => {
    expect(refusedBy(accepting, { paris: { marks }, berlin: {} })).toEqual(refused)
  })
})
