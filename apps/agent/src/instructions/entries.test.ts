import { describe, expect, it } from 'vitest'
import { aReservation } from '../../fixtures/instructions/instruction.ts'
import { type Answer, type Entry, withAnswer } from './entries.ts'
import { termsOf } from './terms.ts'

const told = (id: string, cpu = '2') => {
  const reservation = aReservation(id, { cpu })
  return { terms: termsOf(reservation, 'provider'), isGranted: true, reservation }
}
const known = (id: string, ledgerId: string | undefined, index?: number): [string, Entry] => [
  id,
  { ...told(id), ledgerId, index },
]

describe('the book of instructions', () => {
  const answers: (Answer & { name: string; left: string[] })[] = [
    {
      name: 'loses what the same ledger no longer has',
      ledgerId: 'L1',
      index: 7,
      told: [told('b')],
      left: ['b'],
    },
    {
      name: 'loses nothing on an older answer of the same ledger',
      ledgerId: 'L1',
      index: 4,
      told: [],
      left: ['a', 'b'],
    },
    {
      name: 'loses what is gone at the very index at which it came',
      ledgerId: 'L1',
      index: 5,
      told: [],
      left: [],
    },
    {
      name: 'loses nothing when the broker is empty, under another ledger',
      ledgerId: 'L2',
      index: 900,
      told: [],
      left: ['a', 'b'],
    },
    {
      name: 'gains what another ledger adds, and keeps its own',
      ledgerId: 'L2',
      index: 1,
      told: [told('c')],
      left: ['a', 'b', 'c'],
    },
    {
      name: 'loses nothing to a broker that names no ledger',
      told: [],
      left: ['a', 'b'],
    },
    {
      name: 'is made equal to another ledger that an operator confirmed',
      ledgerId: 'L2',
      index: 1,
      confirmed: 'L2',
      told: [told('b')],
      left: ['b'],
    },
    {
      name: 'does not take the confirmation of one ledger for another',
      ledgerId: 'L3',
      index: 1,
      confirmed: 'L2',
      told: [],
      left: ['a', 'b'],
    },
  ]
  it.each(answers)('$name', ({ name: _, left, ...answer }) => {
    const book = new Map([known('a', 'L1', 5), known('b', 'L1', 5)])

    const after = withAnswer(book, answer)

    expect([...after.keys()]).toEqual(left)
  })

  it('keeps the stamp of what did not change, and renews that of what did', () => {
    const book = new Map([known('a', 'L1', 5), known('b', 'L1', 5)])

    const after = withAnswer(book, { ledgerId: 'L1', index: 9, told: [told('a'), told('b', '3')] })

    expect(after.get('a')).toMatchObject({ index: 5 })
    expect(after.get('b')).toMatchObject({ index: 9, terms: { amounts: { cpu: '3' } } })
  })

  it('does not let another ledger change what it did not grant', () => {
    const book = new Map([known('a', 'L1', 5)])

    const after = withAnswer(book, { ledgerId: 'L2', index: 9, told: [told('a', '8')] })

    expect(after.get('a')).toMatchObject({ ledgerId: 'L1', terms: { amounts: { cpu: '2' } } })
  })

  it('lets what a broker without a ledger granted be changed by it, and go by time alone', () => {
    const book = new Map([known('a', undefined), known('b', undefined)])

    const after = withAnswer(book, { told: [told('a', '3')] })

    expect(after.get('a')).toMatchObject({ terms: { amounts: { cpu: '3' } } })
    expect(after.has('b')).toBe(true)
  })
})
