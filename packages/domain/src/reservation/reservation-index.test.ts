import { describe, expect, it } from 'vitest'
import type { Reservation } from './reservation.ts'
import { reservationId } from './reservation-id.ts'
import { createReservationIndex } from './reservation-index.ts'

const LEDGER_ID = 'abcdefgh'
const MANY = 1_000

describe('createReservationIndex', () => {
  it('finds a reservation by its id and by its number', () => {
    const index = createReservationIndex()
    const reservation = aReservation(70)

    index.put(reservation)

    expect(index.get('rsv-abcde-1y')).toBe(reservation)
    expect(index.at(70)).toBe(reservation)
    expect(index.at(6)).toBeUndefined()
  })

  it('finds nothing under the id that another ledger gave to the same number', () => {
    const index = createReservationIndex()
    index.put(aReservation(70))

    expect(index.get('rsv-other-1y')).toBeUndefined()
    expect(index.get('1y')).toBeUndefined()
    expect(index.get('')).toBeUndefined()
    expect(index.get('rsv-abcde-\u{10ffff}')).toBeUndefined()
  })

  it('keeps the newest of a reservation', () => {
    const index = createReservationIndex()
    index.put(aReservation(3))
    const renewed = { ...aReservation(3), expiresAt: 5 }

    index.put(renewed)

    expect([...index.values()]).toEqual([renewed])
  })

  it('refuses two reservations with one number', () => {
    const index = createReservationIndex()
    index.put(aReservation(70))

    expect(() => index.put({ ...aReservation(70), id: 'rsv-other-1y' })).toThrow(
      'rsv-other-1y has the number that rsv-abcde-1y has already',
    )
  })

  it('lists what is left, in the order of creation', () => {
    const index = createReservationIndex()
    for (let number = 1; number <= MANY; number += 1) index.put(aReservation(number))

    for (let number = 1; number <= MANY; number += 1)
      if (number % 250 !== 0) index.delete(reservationId(LEDGER_ID, number))

    const left = [...index.values()].map(({ createdAt }) => createdAt)
    expect(left).toEqual([250, 500, 750, 1_000])
  })

  it('deletes nothing under the id of another ledger', () => {
    const index = createReservationIndex()
    index.put(aReservation(70))

    index.delete('rsv-other-1y')

    expect(index.at(70)).toBeDefined()
  })
})

function aReservation(number: number): Reservation {
  return {
    id: reservationId(LEDGER_ID, number),
    requester: 'a',
    door: 'rest',
    wanted: {},
    priority: 0,
    legs: [],
    phase: 'Reserved',
    createdAt: number,
    startsAt: number,
    decidedIndex: 1,
    changedIndex: 1,
  }
}
