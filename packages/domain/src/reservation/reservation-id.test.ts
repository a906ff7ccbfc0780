import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberOf, reservationId } from './reservation-id.ts'

const ledgers = fc.stringMatching(/^[0-9a-z]{25}$/)
const terms = fc.stringMatching(/^[0-9a-z]{5}$/)
const numbers = fc.nat({ max: Number.MAX_SAFE_INTEGER })

describe('a reservation id', () => {
  it('has the ledger, the term and the number', () => {
    expect(reservationId('3ajbdq7', 40, 'x7k2q')).toBe('rsv-3ajbd-x7k2q-14')
  })

  it('has no term where none is told, as before there were any', () => {
    expect(reservationId('3ajbdq7', 40)).toBe('rsv-3ajbd-14')
  })

  it('is a short DNS label that leads back to its number, with a term or without', () => {
    fc.assert(
      fc.property(
        ledgers,
        numbers,
        fc.option(terms, { nil: undefined }),
        (ledger, number, term) => {
          const id = reservationId(ledger, number, term)

          expect(id).toMatch(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/)
          expect(numberOf(id)).toBe(number)
        },
      ),
    )
  })
})
