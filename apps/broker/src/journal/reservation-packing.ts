import type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import {
  decodeAmount,
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
  const names = createTable((name: string) => name)
  const vectors = createTable(encodeResources)
  const legs = createTable((held: readonly Leg[]) =>
    held.flatMap((leg) => [names.place(leg.clusterId), vectors.place(leg.resources)]),
  )
  const aliases = createTable((list: readonly string[]) => list)
  const prices = createTable(
    (price: HourlyPrice) => [encodeAmount(price.perHour), price.currency] as const,
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
}

/** Equal values become one object, also across the parts that one unpacker reads. */
export function createUnpacker(): (packed: PackedReservations) => readonly Reservation[] {
  const seen = new Map<string, unknown>()

  return (packed) => {
    const names = packed.names.map((name) => once(`n${name}`, () => name))
    const vectors = packed.vectors.map((vector) =>
      once(`v${JSON.stringify(vector)}`, () => decodeResources(vector)),
    )
    const tables: Tables = {
      names,
      vectors,
      legs: packed.legs.map((pairs) =>
        once(`l${legsKey(pairs, packed)}`, () => legsOf(pairs, names, vectors)),
      ),
      aliases: packed.aliases.map((list) => once(`a${JSON.stringify(list)}`, () => list)),
      prices: packed.prices.map(([perHour, currency]) =>
        once(`p${perHour} ${currency}`, () => ({ perHour: decodeAmount(perHour), currency })),
      ),
    }
    return packed.rows.map((row) => unpackRow(row, tables))
  }

  function once<T>(key: string, make: () => T): T {
    // The first letter of a key tells the type, so what is found under it was made by that `make`.
    const found = seen.get(key) as T | undefined
    if (found !== undefined) return found
    const made = make()
    seen.set(key, made)
    return made
  }
}

type Tables = Readonly<{
  names: readonly string[]
  vectors: readonly Resources[]
  legs: readonly (readonly Leg[])[]
  aliases: readonly (readonly string[])[]
  prices: readonly HourlyPrice[]
}>

function unpackRow(row: Row, tables: Tables): Reservation {
  const { names } = tables
  // biome-ignore format: in the order of `Row`, one line for each kind of field
  const [
    id, phase, requester, door, wanted, legs,
    priority, createdAt, startsAt, decidedIndex, changedIndex,
    requestId, fingerprint, expiresAt, price, activatedAt, aliases, pinned, endedAt, reason,
  ] = row
  return {
    id,
    requester: at(names, requester),
    door: at(names, door),
    wanted: at(tables.vectors, wanted),
    priority,
    legs: at(tables.legs, legs),
    phase: at(PHASES, phase),
    createdAt,
    startsAt,
    decidedIndex,
    changedIndex,
    ...(requestId != null && { requestId }),
    ...(fingerprint != null && { fingerprint }),
    ...(expiresAt != null && { expiresAt }),
    ...(price != null && { price: at(tables.prices, price) }),
    ...(activatedAt != null && { activatedAt }),
    ...(aliases != null && { aliases: at(tables.aliases, aliases) }),
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

function legsOf(
  pairs: readonly number[],
  names: readonly string[],
  vectors: readonly Resources[],
): readonly Leg[] {
  const legs: Leg[] = []
  for (let place = 0; place < pairs.length; place += 2) {
    const [clusterId = -1, resources = -1] = pairs.slice(place, place + 2)
    legs.push({ clusterId: at(names, clusterId), resources: at(vectors, resources) })
  }
  return legs
}

/** Says the same of equal legs in every part, where places differ. */
const legsKey = (pairs: readonly number[], { names, vectors }: PackedReservations) =>
  JSON.stringify(pairs.map((place, nth) => (nth % 2 === 0 ? names : vectors)[place]))

/** Gives each distinct value one place; objects that are the same are not even looked at twice. */
function createTable<From, To>(encode: (value: From) => To) {
  const items: To[] = []
  const places = new Map<string, number>()
  const known = new Map<From, number>()
  return { items, place }

  function place(value: From): number {
    const before = known.get(value)
    if (before !== undefined) return before
    const item = encode(value)
    const key = JSON.stringify(item)
    const found = places.get(key) ?? items.push(item) - 1
    places.set(key, found)
    known.set(value, found)
    return found
  }
}

function withoutTrailingNulls(row: Row): Row {
  const last = row.findLastIndex((field) => field !== null)
  // Only optional fields are null, and they come last, so what is left is still a row.
  return row.slice(0, last + 1) as unknown as Row
}
