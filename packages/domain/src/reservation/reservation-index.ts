import { sizeLimits } from '../limits.ts'
import type { Reservation } from './reservation.ts'
import { numberOf } from './reservation-id.ts'

/** The reservations in memory, by the number in their id. */
export type ReservationIndex = {
  get(id: string): Reservation | undefined
  at(number: number): Reservation | undefined
  /** Replaces the one with the same id. Throws if another id has its number. */
  put(reservation: Reservation): void
  delete(id: string): void
  /** By number, which is the order of creation. */
  values(): Iterable<Reservation>
}

type Row = { readonly places: (Reservation | undefined)[]; taken: number }

/**
 * Numbers are given in order, so that those in memory are close together. Rows of a few places need
 * a hundredth of the look-ups and half the memory of a map of a million ids.
 */
export function createReservationIndex(): ReservationIndex {
  const { rowLength } = sizeLimits
  const rowOf = (number: number): number => Math.floor(number / rowLength)
  const placeOf = (number: number): number => number % rowLength
  const rows = new Map<number, Row>()

  return { get, at, put, delete: remove, values }

  function get(id: string): Reservation | undefined {
    const found = at(numberOf(id))
    // Another text may contain the same number.
    return found?.id === id ? found : undefined
  }

  function at(number: number): Reservation | undefined {
    return rows.get(rowOf(number))?.places[placeOf(number)]
  }

  function put(reservation: Reservation): void {
    const number = numberOf(reservation.id)
    const row = rows.get(rowOf(number)) ?? addRow(number)
    const there = row.places[placeOf(number)]
    if (there === undefined) row.taken++
    else if (there.id !== reservation.id)
      throw new Error(`${reservation.id} has the number that ${there.id} has already`)
    row.places[placeOf(number)] = reservation
  }

  function addRow(number: number): Row {
    const row = { places: new Array<Reservation | undefined>(rowLength), taken: 0 }
    rows.set(rowOf(number), row)
    return row
  }

  function remove(id: string): void {
    if (!get(id)) return
    const number = numberOf(id)
    const row = rows.get(rowOf(number))
    if (!row) return
    row.places[placeOf(number)] = undefined
    row.taken--
    if (row.taken === 0) rows.delete(rowOf(number))
  }

  function* values(): Generator<Reservation> {
    for (const { places } of rows.values())
      for (const reservation of places) if (reservation) yield reservation
  }
}
