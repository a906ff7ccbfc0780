import { describe, expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { EVENT_VERSION } from './event-codec.ts'
import { fieldsOf, formatOf, RESERVATION_FIELDS, reservationFields } from './fields.ts'
import { reservationPacker } from './reservation-packing.ts'
import { createUnpacker, rowReader } from './reservation-unpacking.ts'
import { textWriter } from './value-text.ts'

/** As a later version would have it: one more line. */
const later = fieldsOf({
  ...RESERVATION_FIELDS,
  tenant: { is: 'name', column: reservationFields.length, isOptional: true, since: 4 },
})
const plain = aReservation('rsv-1')
const tenanted = { ...aReservation('rsv-2', { requestId: 'r2' }), tenant: 'acme' }

describe('the fields of a reservation', () => {
  it('have a column each, newer ones after all older ones', () => {
    const columns = reservationFields.toSorted((one, other) => one.column - other.column)

    expect(columns.map(({ column }) => column)).toEqual([...columns.keys()])
    const formats = columns.map(({ since }) => since)
    expect(formats).toEqual(formats.toSorted((one, other) => one - other))
    expect(Math.max(...formats)).toBeLessThanOrEqual(EVENT_VERSION)
  })

  it('are all written and read as soon as they stand in the table', () => {
    const packed = reservationPacker(later)([plain, tenanted])

    expect(textWriter(later)(tenanted)).toContain(',"tenant":"acme"')
    expect(createUnpacker(rowReader(later))(packed)).toEqual([plain, tenanted])
  })

  it('that are new make a format of their own only where they are used', () => {
    expect(formatOf(plain, later)).toBe(1)
    expect(formatOf(tenanted, later)).toBe(4)
    expect(reservationPacker(later)([plain])).toEqual(reservationPacker(reservationFields)([plain]))
  })

  it('that are unknown are refused in a snapshot, not cut off', () => {
    const packed = reservationPacker(later)([tenanted])

    expect(() => createUnpacker()(packed)).toThrow('more than this broker knows')
  })
})
