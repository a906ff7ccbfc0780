import type { HourlyPrice, Leg, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { decodeResources } from './amount-codec.ts'
import { compiled, type Field, reservationFields, type Shape } from './fields.ts'
import {
  keyOfVector,
  type PackedReservations,
  PHASES,
  REASONS,
  type Row,
} from './reservation-packing.ts'

type Tables = Readonly<{
  shared(fingerprint: string): string
  names: readonly string[]
  vectors: readonly Resources[]
  legs: readonly (readonly Leg[])[]
  aliases: readonly (readonly string[])[]
  prices: readonly HourlyPrice[]
}>

const FINGERPRINTS_MAX = 10_000

/** Equal values become one object, also across the parts that one unpacker reads. */
export function createUnpacker(
  read = readReservation,
): (packed: PackedReservations) => readonly Reservation[] {
  const names = createInterner<string>()
  const fingerprints = createInterner<string>()
  const vectors = createInterner<Resources>()
  const legs = createInterner<readonly Leg[]>()
  const aliases = createInterner<readonly string[]>()
  const prices = createInterner<HourlyPrice>()

  return (packed) => {
    // Numbers that hold for all parts, so that what is made of these values is quickly compared.
    const nameIds = packed.names.map((name) => names.idOf(name, () => name))
    const vectorIds = packed.vectors.map((vector) =>
      vectors.idOf(keyOfVector(vector), () => decodeResources(vector)),
    )
    const tables: Tables = {
      shared,
      names: nameIds.map(names.get),
      vectors: vectorIds.map(vectors.get),
      legs: packed.legs.map((pairs) => {
        const ids = pairs.map((place, nth) => at(nth % 2 === 0 ? nameIds : vectorIds, place))
        return legs.one(keyOfLegs(ids), () => legsOf(ids))
      }),
      aliases: packed.aliases.map((list) => aliases.one(JSON.stringify(list), () => list)),
      prices: packed.prices.map(([perHour, currency]) =>
        prices.one(`${perHour} ${currency}`, () => ({ perHour: BigInt(perHour), currency })),
      ),
    }
    return packed.rows.map((row) => read(row, tables))
  }

  /** Many ask for the same; where all differ, looking for their like is given up. */
  function shared(fingerprint: string): string {
    if (fingerprints.size() >= FINGERPRINTS_MAX) return fingerprint
    return fingerprints.one(fingerprint, () => fingerprint)
  }

  function legsOf(ids: readonly number[]): readonly Leg[] {
    const made: Leg[] = []
    for (let nth = 0; nth < ids.length; nth += 2)
      made.push({ clusterId: names.get(at(ids, nth)), resources: vectors.get(at(ids, nth + 1)) })
    return made
  }
}

/** More names than there are clusters anywhere. */
const NAMES_MAX = 2 ** 26

/** One provider, as nearly always: a number, since a million texts would take a while to make. */
function keyOfLegs(ids: readonly number[]): string | number {
  return ids.length === 2 ? at(ids, 0) + NAMES_MAX * at(ids, 1) : ids.join()
}

function createInterner<T>() {
  const values: T[] = []
  const ids = new Map<string | number, number>()
  const get = (id: number): T => at(values, id)
  return { idOf, get, one, size: () => values.length }

  function one(key: string | number, make: () => T): T {
    return get(idOf(key, make))
  }

  function idOf(key: string | number, make: () => T): number {
    let id = ids.get(key)
    if (id === undefined) {
      id = values.push(make()) - 1
      ids.set(key, id)
    }
    return id
  }
}

type Read = (row: Row, tables: Tables) => Reservation

/** How each shape is read from its cell. */
const readers: Readonly<Record<Shape, (cell: string) => string>> = {
  string: (cell) => cell,
  name: (cell) => `at(tables.names, ${cell})`,
  digest: (cell) => `tables.shared(${cell})`,
  number: (cell) => cell,
  vector: (cell) => `at(tables.vectors, ${cell})`,
  legs: (cell) => `at(tables.legs, ${cell})`,
  price: (cell) => `at(tables.prices, ${cell})`,
  names: (cell) => `at(tables.aliases, ${cell})`,
  phase: (cell) => `at(PHASES, ${cell})`,
  reason: (cell) => `at(REASONS, ${cell})`,
  flag: () => 'true',
}

/**
 * As most are, and in the order in which the ledger makes them: one literal with all fields in it
 * takes half the time, and less room.
 */
const USUAL: readonly (keyof Reservation)[] = [
  ...(['id', 'requester', 'door', 'requestId', 'fingerprint', 'wanted', 'priority'] as const),
  ...(['legs', 'phase', 'createdAt', 'startsAt', 'expiresAt', 'price'] as const),
  ...(['decidedIndex', 'changedIndex'] as const),
]

/** Reads all fields of a table, each from its column. Refuses columns that it does not know. */
export function rowReader(fields: readonly Field[]): Read {
  const usual = USUAL.flatMap((name) => fields.filter(({ key }) => key === name))
  const length = 1 + Math.max(...usual.map(({ column }) => column))
  const cell = ({ column }: Field) => `row[${column}]`
  const value = (field: Field) => readers[field.is](cell(field))
  const literal = (some: readonly Field[]) =>
    `{ ${some.map((field) => `${field.key}: ${value(field)}`).join(', ')} }`
  const sometimes = fields.filter(({ isOptional }) => isOptional)
  const isUsual = usual.filter(({ isOptional }) => isOptional).map((one) => `${cell(one)} != null`)
  const source = `return (row, tables) => {
    if (row.length === ${length} && ${isUsual.join(' && ')}) return ${literal(usual)}
    if (row.length > ${fields.length}) throw tooLong(row)
    const one = ${literal(fields.filter(({ isOptional }) => !isOptional))}
    ${sometimes.map((field) => `if (${cell(field)} != null) one.${field.key} = ${value(field)}`).join('\n')}
    return one
  }`
  const used = { at, PHASES, REASONS, tooLong }
  return compiled<(...used: unknown[]) => Read>(Object.keys(used), source)(...Object.values(used))
}

const tooLong = ({ length }: Row) =>
  new RangeError(`A reservation has ${length} columns, more than this broker knows`)

function at<T>(table: readonly T[], place: number): T {
  const item = table[place]
  if (item === undefined) throw new RangeError(`A reservation refers to place ${place} of a table`)
  return item
}

const readReservation = rowReader(reservationFields)
