import type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { encodeAmount, encodeResources, type Stored, type StoredAmount } from './amount-codec.ts'
import { compiled, type Field, reservationFields, type Shape } from './fields.ts'

/**
 * Reservations repeat themselves: the same clusters, doors, sizes and prices. Each distinct value
 * is written once in a table of its part, and a row refers to it by its place there.
 */
export type PackedReservations = Readonly<{
  names: readonly string[]
  vectors: readonly Stored<Resources>[]
  /** Pairs of a name and a vector, flat: [name, vector, name, vector, …]. */
  legs: readonly (readonly number[])[]
  aliases: readonly (readonly string[])[]
  prices: readonly (readonly [perHour: StoredAmount, currency: string])[]
  rows: readonly Row[]
}>

/** By column; null stands for an absent field, trailing ones are left off. */
export type Row = readonly (string | number | null)[]

/** The places in these lists are the format: append to them, never reorder. */
export const PHASES: readonly Phase[] = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']
export const REASONS: readonly EndReason[] = [
  'Expired',
  'Released',
  'Withdrawn',
  'RequesterGone',
  'Preempted',
]

type Places = Readonly<{
  name(name: string): number
  vector(vector: Resources): number
  legs(legs: readonly Leg[]): number
  names(list: readonly string[]): number
  price(price: HourlyPrice): number
  phase(phase: Phase): number
  reason(reason: EndReason): number
  flag(flag: true): number
}>
type RowOf = (reservation: Reservation, places: Places) => Row

/** What is written into the row itself. All else has its place in a table or a list. */
const IN_THE_ROW: readonly Shape[] = ['string', 'digest', 'number']

function cellWriter({ key, is, isOptional }: Field): string {
  const cell = IN_THE_ROW.includes(is) ? `one.${key}` : `places.${is}(one.${key})`
  return isOptional ? `one.${key} === undefined ? null : ${cell}` : cell
}

/** Writes all fields of a table, each into its column. */
function rowWriter(fields: readonly Field[]): RowOf {
  const columns = fields.toSorted((one, other) => one.column - other.column)
  const source = `return [${columns.map(cellWriter).join(', ')}]`
  return compiled<RowOf>(['one', 'places'], source)
}

/** Packs what a table has in it. */
export function reservationPacker(fields: readonly Field[]) {
  const rowOf = rowWriter(fields)
  return (reservations: readonly Reservation[]): PackedReservations => {
    const { places, tables } = createTables()
    const rows = reservations.map((one) => withoutTrailingNulls(rowOf(one, places)))
    return { ...tables, rows }
  }
}

export const packReservations = reservationPacker(reservationFields)

function createTables() {
  const names = createTable(
    (name: string) => name,
    (name) => name,
  )
  const vectors = createTable(keyOfVector, encodeResources)
  const legs = createTable(
    (held: readonly Leg[]) => placesOf(held).join(),
    (held) => placesOf(held),
  )
  const aliases = createTable(JSON.stringify, (list: readonly string[]) => list)
  const prices = createTable(
    ({ perHour, currency }: HourlyPrice) => `${perHour} ${currency}`,
    ({ perHour, currency }) => [encodeAmount(perHour), currency] as const,
  )
  const places: Places = {
    name: names.place,
    vector: vectors.place,
    legs: legs.place,
    names: aliases.place,
    price: prices.place,
    phase: (phase) => PHASES.indexOf(phase),
    reason: (reason) => REASONS.indexOf(reason),
    flag: Number,
  }
  const tables = {
    names: names.items,
    vectors: vectors.items,
    legs: legs.items,
    aliases: aliases.items,
    prices: prices.items,
  }
  return { places, tables }

  function placesOf(held: readonly Leg[]): number[] {
    return held.flatMap((leg) => [names.place(leg.clusterId), vectors.place(leg.resources)])
  }
}

/** Gives each distinct value one place; an object that was seen before is not looked into again. */
function createTable<From, To>(keyOf: (value: From) => string, encode: (value: From) => To) {
  const items: To[] = []
  const places = new Map<string, number>()
  const known = new Map<From, number>()
  return { items, place }

  function place(value: From): number {
    const before = known.get(value)
    if (before !== undefined) return before
    const key = keyOf(value)
    let found = places.get(key)
    if (found === undefined) {
      found = items.push(encode(value)) - 1
      places.set(key, found)
    }
    known.set(value, found)
    return found
  }
}

/** Lengths keep names apart, for any characters in them. */
export function keyOfVector(vector: Readonly<Record<string, bigint | StoredAmount>>): string {
  let key = ''
  for (const name of Object.keys(vector)) key += `${name.length}:${name}=${vector[name]},`
  return key
}

function withoutTrailingNulls(row: Row): Row {
  const last = row.findLastIndex((field) => field !== null)
  return row.slice(0, last + 1)
}
