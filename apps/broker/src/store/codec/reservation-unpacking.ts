import type { HourlyPrice, Leg, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { decodeResources } from './amount-codec.ts'
import {
  keyOfVector,
  type PackedReservations,
  PHASES,
  REASONS,
  ROW_LENGTHS,
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
export function createUnpacker(): (packed: PackedReservations) => readonly Reservation[] {
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
        return legs.get(legs.idOf(keyOfLegs(ids), () => legsOf(ids)))
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

  /** Many ask for the same; where all differ, looking for their like is given up. */
  function shared(fingerprint: string): string {
    if (fingerprints.size() >= FINGERPRINTS_MAX) return fingerprint
    return fingerprints.get(fingerprints.idOf(fingerprint, () => fingerprint))
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

/** More names than there are clusters anywhere. */
const NAMES_MAX = 2 ** 26

/** One provider, as nearly always: a number, since a million texts would take a while to make. */
function keyOfLegs(ids: readonly number[]): string | number {
  return ids.length === 2 ? at(ids, 0) + NAMES_MAX * at(ids, 1) : ids.join()
}

function createInterner<T>() {
  const values: T[] = []
  const ids = new Map<string | number, number>()
  return { idOf, get: (id: number): T => at(values, id), size: () => values.length }

  function idOf(key: string | number, make: () => T): number {
    let id = ids.get(key)
    if (id === undefined) {
      id = values.push(make()) - 1
      ids.set(key, id)
    }
    return id
  }
}

function unpackRow(row: Row, tables: Tables): Reservation {
  return unpackUsual(row, tables) ?? unpackAny(row, tables)
}

const USUAL_LENGTH = 15
const COLUMNS = Math.max(...ROW_LENGTHS)

/** As most are: one literal with all fields in it takes half the time, and less room. */
function unpackUsual(
  row: Row,
  { shared, names, vectors, legs, prices }: Tables,
): Reservation | undefined {
  const [requestId, fingerprint, expiresAt, price] = [row[11], row[12], row[13], row[14]]
  if (row.length !== USUAL_LENGTH || requestId == null || fingerprint == null) return undefined
  if (expiresAt == null || price == null) return undefined
  return {
    id: row[0],
    requester: at(names, row[2]),
    door: at(names, row[3]),
    requestId,
    fingerprint: shared(fingerprint),
    wanted: at(vectors, row[4]),
    priority: row[6],
    legs: at(legs, row[5]),
    phase: at(PHASES, row[1]),
    createdAt: row[7],
    startsAt: row[8],
    expiresAt,
    price: at(prices, price),
    decidedIndex: row[9],
    changedIndex: row[10],
  }
}

function unpackAny(
  row: Row,
  { shared, names, vectors, legs, aliases, prices }: Tables,
): Reservation {
  if (row.length > COLUMNS)
    throw new RangeError(`A reservation has ${row.length} columns: too many`)
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
    ...(fingerprint != null && { fingerprint: shared(fingerprint) }),
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
