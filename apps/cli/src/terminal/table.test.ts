import { describe, expect, it } from 'vitest'
import { createPaint } from './colours.ts'
import { renderTable } from './table.ts'

type Row = { name: string; count: string }
const columns = [
  { title: 'NAME', cell: ({ name }: Row) => name },
  { title: 'COUNT', align: 'right' as const, cell: ({ count }: Row) => count },
]

describe('renderTable', () => {
  it('is as wide as its widest cell, cuts nothing and marks what is empty', () => {
    const rows = [
      { name: 'a-name-longer-than-its-title', count: '7' },
      { name: 'b', count: '' },
    ]

    expect(renderTable(columns, rows, createPaint(false))).toBe(
      [
        'NAME                          COUNT',
        'a-name-longer-than-its-title      7',
        'b                                 -',
      ].join('\n'),
    )
  })

  it('puts the points of numbers under each other', () => {
    const prices = [{ title: 'PRICE', align: 'point' as const, cell: (price: string) => price }]

    expect(renderTable(prices, ['0.5 USD', '12.125 USD', '3 USD', ''], createPaint(false))).toBe(
      ['     PRICE', ' 0.5   USD', '12.125 USD', ' 3     USD', '         -'].join('\n'),
    )
  })

  it('does not count colours as width', () => {
    const paint = createPaint(true)
    const rows = [{ name: paint('red', 'red'), count: '1' }]

    expect(renderTable(columns, rows, paint)).toBe(
      '\u001b[1mNAME  COUNT\u001b[0m\n\u001b[31mred\u001b[0m       1',
    )
  })
})
