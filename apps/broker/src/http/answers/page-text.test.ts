import { PAGE_BYTES_MAX } from '@bourse/contract'
import { describe, expect, it } from 'vitest'
import { pageText } from './page-text.ts'

const page = (rows: readonly string[], nextCursor?: string) =>
  JSON.parse(
    pageText({ rows, show: (row) => row, cursorAfter: (row) => `after ${row[0]}`, nextCursor }),
  )

describe('pageText', () => {
  it('is the rows and the cursor that was given', () => {
    expect(page(['a', 'b'])).toEqual({ items: ['a', 'b'] })
    expect(page(['a', 'b'], 'next')).toEqual({ items: ['a', 'b'], nextCursor: 'next' })
    expect(page([])).toEqual({ items: [] })
  })

  it('ends where it is long enough, with the cursor after its last row', () => {
    const long = PAGE_BYTES_MAX / 2
    const rows = ['a', 'b', 'c', 'd'].map((name) => name.repeat(long))

    const { items, nextCursor } = page(rows, 'next')

    expect([items.length, nextCursor]).toEqual([2, 'after b'])
    expect(page(rows.slice(0, 2), 'next').nextCursor).toBe('next')
    expect(page(rows.slice(0, 2)).nextCursor).toBeUndefined()
  })
})
