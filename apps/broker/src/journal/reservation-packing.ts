import type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import {
  decodeResources,
  encodeAmount,
  encodeResources,
  type Stored,
  type StoredAmount,
} from './amount-codec.ts'

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

/** In this order; null stands for an absent field, trailing ones are left off. */
type Row = readonly [
  id: string,
  phase: number,
  requester: number,
  door: number,
  wanted: number,
  legs: number,
  priority: number,
  createdAt: number,
  startsAt: number,
  decidedIndex: number,
  changedIndex: number,
  requestId?: string | null,
  fingerprint?: string | null,
  expiresAt?: number | null,
  price?: number | null,
  activatedAt?: number | null,
  aliases?: number | null,
  pinned?: number | null,
  endedAt?: number | null,
  reason?: number | null,
]

/** The places in these lists are the format: append to them, never reorder. */
const PHASES: readonly Phase[] = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']
const REASONS: readonly EndReason[] = [
  'Expired',
  'Released',
  'Withdrawn',
  'RequesterGone',
  'Preempted',
]

export function packReservations(reservations: readonly Reservation[]): PackedReservations {
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
  const rows = reservations.map((one) =>
    withoutTrailingNulls([
      one.id,
      PHASES.indexOf(one.phase),
      names.place(one.requester),
      names.place(one.door),
      vectors.place(one.wanted),
      legs.place(one.legs),
      one.priority,
      one.createdAt,
      one.startsAt,
      one.decidedIndex,
      one.changedIndex,
      one.requestId ?? null,
      one.fingerprint ?? null,
      one.expiresAt ?? null,
      one.price ? prices.place(one.price) : null,
      one.activatedAt ?? null,
      one.aliases ? aliases.place(one.aliases) : null,
      one.pinned === undefined ? null : names.place(one.pinned),
      one.endedAt ?? null,
      one.reason ? REASONS.indexOf(one.reason) : null,
    ]),
  )
  return {
    names: names.items,
    vectors: vectors.items,
    legs: legs.items,
    aliases: aliases.items,
    prices: prices.items,
    rows,
  }

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

/** Lengths keep names apart, whatever characters they are made of. */
function keyOfVector(vector: Readonly<Record<string, bigint | StoredAmount>>): string {
  let key = ''
  for (const name of Object.keys(vector)) key += `${name.length}:${name}=${vector[name]},`
  return key
}

function withoutTrailingNulls(row: Row): Row {
  const last = row.findLastIndex((field) => field !== null)
  // Only optional fields are null, and they come last, so what is left is still a row.
  return row.slice(0, last + 1) as unknown as Row
}

type Tables = Readonly<{
  names: readonly string[]
  vectors: readonly Resources[]
  legs: readonly (readonly Leg[])[]
  aliases: readonly (readonly string[])[]
  prices: readonly HourlyPrice[]
}>

/** Equal values become one object, also across the parts that one unpacker reads. */
export function createUnpacker(): (packed: PackedReservations) => readonly Reservation[] {
  const names = createInterner<string>()
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
      names: nameIds.map(names.get),
      vectors: vectorIds.map(vectors.get),
      legs: packed.legs.map((pairs) => {
        const ids = pairs.map((place, nth) => at(nth % 2 === 0 ? nameIds : vectorIds, place))
        return legs.get(legs.idOf(ids.join(), () => legsOf(ids)))
      }),
      aliases: packed.aliases.map((list) =>
        aliases.get(aliases.idOf(JSON.stringify(list), () => list)),
      ),
      prices: packed.prices.map(([perHour, currency]) =>
        prices.get(
          prices.idOf(`${perHour} ${currency}`, () => ({ perHour: BigInt(perHour), currency })),
        ),
      ),
    }
    return packed.rows.map((row) => unpackRow(row, tables))
  }

  function legsOf(ids: readonly number[]): readonly Leg[] {
    const made: Leg[] = []
    for (let nth = 0; nth < ids.length; nth += 2)
      made.push({
        clusterId: names.get(at(ids, nth)),
        resources: vectors.get(at(ids, nth + 1)),
      })
    return made
  }
}

function createInterner<T>() {
  const values: T[] = []
  const ids = new Map<string, number>()
  return { idOf, get: (id: number): T => at(values, id) }

  function idOf(key: string, make: () => T): number {
    let id = ids.get(key)
    if (id === undefined) {
      id = values.push(make()) - 1
      ids.set(key, id)
    }
    return id
  }
}

function unpackRow(row: Row, { names, vectors, legs, aliases, prices }: Tables): Reservation {
  // By number: taking an array apart by name runs its iterator, which takes four times as long.
  const [requestId, fingerprint, expiresAt] = [row[11], row[12], row[13]]
  const [price, activatedAt, alias, pinned, endedAt, reason] = [
    row[14],
    row[15],
    row[16],
    row[17],
    row[18],
    row[19],
  ]
  return {
    id: row[0],
    requester: at(names, row[2]),
    door: at(names, row[3]),
    wanted: at(vectors, row[4]),
    priority: row[6],
    legs: at(legs, row[5]),
    phase: at(PHASES, row[1]),
    createdAt: row[7],
    startsAt: row[8],
    decidedIndex: row[9],
    changedIndex: row[10],
    ...(requestId != null && { requestId }),
    ...(fingerprint != null && { fingerprint }),
    ...(expiresAt != null && { expiresAt }),
    ...(price != null && { price: at(prices, price) }),
    ...(activatedAt != null && { activatedAt }),
    ...(alias != null && { aliases: at(aliases, alias) }),
    ...(pinned != null && { pinned: at(names, pinned) }),
    ...(endedAt != null && { endedAt }),
    ...(reason != null && { reason: at(REASONS, reason) }),
  }
}

function at<T>(table: readonly T[], place: number): T {
  const item = table[place]
  if (item === undefined) throw new RangeError(`A reservation refers to place ${place} of a table`)
  return item
}
