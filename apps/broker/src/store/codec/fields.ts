import type {
  Advertisement,
  Cost,
  EndReason,
  HourlyPrice,
  Leg,
  Phase,
  Reservation,
} from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'

/** What a field may consist of. How each is written, packed and read stands in one map each. */
type Shapes = {
  string: string
  /** A string that many share: in a snapshot it is written once. */
  name: string
  /** A string that many may share, or none: it is written each time, and kept once. */
  digest: string
  number: number
  vector: Resources
  legs: readonly Leg[]
  price: HourlyPrice
  names: readonly string[]
  phase: Phase
  reason: EndReason
  /** There or not. */
  flag: true
}

export type Shape = keyof Shapes

type ShapesOf<Value, All> = {
  [S in keyof All]: [Value, All[S]] extends [All[S], Value] ? S : never
}[keyof All]

/** An optional field says so, one that everything has cannot. */
type IsOptional<T, Key extends keyof T> =
  object extends Pick<T, Key> ? Readonly<{ isOptional: true }> : Readonly<{ isOptional?: never }>

type FieldOf<Is> = Readonly<{
  is: Is
  /** Its place in a row of a snapshot: the next free one, and never another. */
  column: number
  /** The first format that has it; absent: the first of all. */
  since?: number
}>

type ReservationFields = {
  readonly [Key in keyof Reservation]-?: FieldOf<ShapesOf<NonNullable<Reservation[Key]>, Shapes>> &
    IsOptional<Reservation, Key>
}

/**
 * Every field of a reservation, in the order in which its text has them. Text, rows of snapshots,
 * history and arbitraries are made of this. A new field is optional: what was written earlier has
 * none. `docs/recipes.md` says what else it takes.
 */
export const RESERVATION_FIELDS = {
  id: { is: 'string', column: 0 },
  requester: { is: 'name', column: 2 },
  door: { is: 'name', column: 3 },
  wanted: { is: 'vector', column: 4 },
  priority: { is: 'number', column: 6 },
  legs: { is: 'legs', column: 5 },
  phase: { is: 'phase', column: 1 },
  createdAt: { is: 'number', column: 7 },
  startsAt: { is: 'number', column: 8 },
  decidedIndex: { is: 'number', column: 9 },
  changedIndex: { is: 'number', column: 10 },
  requestId: { is: 'string', column: 11, isOptional: true },
  fingerprint: { is: 'digest', column: 12, isOptional: true },
  expiresAt: { is: 'number', column: 13, isOptional: true },
  price: { is: 'price', column: 14, isOptional: true },
  aliases: { is: 'names', column: 16, isOptional: true },
  pinned: { is: 'name', column: 17, isOptional: true },
  activatedAt: { is: 'number', column: 15, isOptional: true },
  endedAt: { is: 'number', column: 18, isOptional: true },
  reason: { is: 'reason', column: 19, isOptional: true },
  endedBy: { is: 'name', column: 20, since: 3, isOptional: true },
  endedWhy: { is: 'string', column: 21, since: 3, isOptional: true },
  oneNode: { is: 'flag', column: 22, since: 3, isOptional: true },
  largestNode: { is: 'vector', column: 23, since: 3, isOptional: true },
  isNodeRounded: { is: 'flag', column: 24, since: 3, isOptional: true },
} as const satisfies ReservationFields

/** A field with its name. */
export type Field = Readonly<{
  key: string
  is: Shape
  column: number
  since: number
  isOptional: boolean
}>
type Table = Readonly<Record<string, FieldOf<Shape> & Readonly<{ isOptional?: true }>>>

export function fieldsOf(table: Table): readonly Field[] {
  return Object.entries(table).map(([key, { is, column, since = 1, isOptional = false }]) => ({
    key,
    is,
    column,
    since,
    isOptional,
  }))
}

export const reservationFields: readonly Field[] = fieldsOf(RESERVATION_FIELDS)

/** The oldest format that has every field of this reservation. */
export function formatOf(reservation: Reservation, fields: readonly Field[] = sinceLater): number {
  let format = 1
  for (const { key, since } of fields)
    if (since > format && reservation[key as keyof Reservation] !== undefined) format = since
  return format
}

const sinceLater = reservationFields.filter(({ since }) => since > 1)

/**
 * A function of source that is put together from our own tables, never from what came in. Written
 * out field by field it is as fast as one by hand; a loop over the table takes a third longer.
 */
export function compiled<Made>(parameters: readonly string[], source: string): Made {
  return new Function(...parameters, source) as Made
}

/** `foreign` is carried, and left out where it is too deep to be shown; `plain` is JSON already. */
type SaidAs<Value> = unknown extends Value
  ? 'foreign'
  : Value extends Resources
    ? 'vector'
    : Value extends Readonly<Record<string, Resources>>
      ? 'vectors'
      : Value extends Cost
        ? 'cost'
        : 'plain'

type AdvertisementFields = {
  readonly [Key in keyof Advertisement]-?: Readonly<{
    is: SaidAs<Required<Advertisement>[Key]>
  }> &
    IsOptional<Advertisement, Key>
}

/** Every field of an advertisement. Unlike a reservation's, they are written as they come. */
export const ADVERTISEMENT_FIELDS = {
  clusterName: { is: 'plain' },
  capacity: { is: 'vector' },
  allocatable: { is: 'vector' },
  allocated: { is: 'vector' },
  used: { is: 'vectors' },
  cost: { is: 'cost', isOptional: true },
  endpointUrl: { is: 'plain', isOptional: true },
  location: { is: 'plain', isOptional: true },
  labels: { is: 'plain', isOptional: true },
  visibility: { is: 'plain', isOptional: true },
  largestFit: { is: 'vector', isOptional: true },
  seenIndex: { is: 'plain', isOptional: true },
  gpuModels: { is: 'plain', isOptional: true },
  liqo: { is: 'foreign', isOptional: true },
  stamp: { is: 'plain', isOptional: true },
  isUnclaimed: { is: 'plain', isOptional: true },
  aliases: { is: 'plain', isOptional: true },
} as const satisfies AdvertisementFields
