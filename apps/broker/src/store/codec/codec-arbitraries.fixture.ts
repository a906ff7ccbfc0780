import { PEERING_STEPS } from '@bourse/contract/peering-steps'
import type {
  Advertisement,
  Cluster,
  ImagePart,
  LedgerEvent,
  PeeringSession,
  PeeringStep,
  Reservation,
} from '@bourse/domain/ledger'
import fc from 'fast-check'
import { ADVERTISEMENT_FIELDS, RESERVATION_FIELDS, type Shape } from './fields.ts'
import { PHASES, REASONS } from './reservation-packing.ts'

/** Anything the ledger could ever say, for round trips. */
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.constantFrom('__proto__', 'cpu'),
)
const moment = fc.nat({ max: 4_102_444_800_000 })
const amount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })
const optional = { requiredKeys: [] as [] }
const resources = fc.dictionary(name, amount, { maxKeys: 4, noNullPrototype: true })
const names = fc.array(name, { maxLength: 2 })
const reason = fc.constantFrom(...REASONS)

/** Of each shape that a field of a reservation may have. */
const shapes: Readonly<Record<Shape, fc.Arbitrary<unknown>>> = {
  string: fc.string(),
  name,
  digest: fc.string(),
  number: fc.oneof(fc.integer(), moment),
  vector: resources,
  legs: fc.array(fc.record({ clusterId: name, resources }), { maxLength: 3 }),
  price: fc.record({ perHour: amount, currency: name }),
  names,
  phase: fc.constantFrom(...PHASES),
  reason,
  flag: fc.constant(true),
}

const reservation = fieldwise<Reservation, Shape>(RESERVATION_FIELDS, (is) => shapes[is])

/** Any value of a plain JSON field; other fields by their shape. */
const said: Readonly<Record<PlainField | 'vector' | 'vectors', fc.Arbitrary<unknown>>> = {
  clusterName: name,
  endpointUrl: fc.webUrl(),
  location: name,
  labels: fc.dictionary(name, name, { maxKeys: 2, noNullPrototype: true }),
  visibility: fc.constantFrom('full', 'summary'),
  gpuModels: fc.dictionary(name, fc.nat(), { maxKeys: 2, noNullPrototype: true }),
  stamp: name,
  seenIndex: fc.nat(),
  isUnclaimed: fc.constant(true),
  aliases: names,
  liqo: fc.constantFrom(null, { version: 'v1.2.0', keys: ['a', 1] }),
  cost: merged(
    fc.record({ currency: name }),
    fc.record({ cpu: amount, memory: amount, gpu: amount }, optional),
  ),
  vector: resources,
  vectors: fc.dictionary(name, resources, { maxKeys: 3, noNullPrototype: true }),
}
type Said = typeof ADVERTISEMENT_FIELDS
type PlainField = {
  [Key in keyof Said]: Said[Key]['is'] extends 'vector' | 'vectors' ? never : Key
}[keyof Said]

const advertisement = fieldwise<Advertisement, Said[keyof Said]['is']>(
  ADVERTISEMENT_FIELDS,
  (is, key) => (is === 'vector' || is === 'vectors' ? said[is] : said[key as PlainField]),
)

const cluster: fc.Arbitrary<Cluster> = merged(
  fc.record({
    clusterId: name,
    door: name,
    advertisement,
    accepting: fc.constantFrom('open', 'cordoned', 'withdrawn'),
    isStale: fc.boolean(),
    changedAt: moment,
  }),
  fc.record({ withdrawnAt: moment }, optional),
)

const score = fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0)
const decision = merged(
  fc.record({
    policy: name,
    best: fc.array(
      fc.record({
        clusterId: name,
        score,
        parts: fc.dictionary(name, score, { noNullPrototype: true }),
      }),
      { maxLength: 5 },
    ),
    refused: fc.record({ Stale: fc.nat(), Insufficient: fc.nat() }, optional),
  }),
  fc.record({ rates: name }, optional),
)

const at = moment
const heardMap = fc.dictionary(name, moment, { maxKeys: 3, noNullPrototype: true })
const tombstone = fc.record({ door: name, requester: name, requestId: fc.string(), at })

const step = fc.constantFrom<PeeringStep>(...PEERING_STEPS)
const pair = { at, id: name, requester: name, provider: name }
const networking = fc.constantFrom('none' as const, 'wireguard' as const)
const trouble = fc.record({ reason: name, message: fc.string() })
const byStep = <T>(value: fc.Arbitrary<T>) => fc.dictionary(step, value, { noNullPrototype: true })
const peering: fc.Arbitrary<PeeringSession> = merged(
  fc.record({
    id: name,
    requester: name,
    provider: name,
    networking,
    state: fc.constantFrom('open', 'established', 'closing'),
    messages: byStep(fc.string()),
    postedAt: byStep(moment),
    trouble: fc.record({ requester: trouble, provider: trouble }, optional),
    openedAt: moment,
  }),
  fc.record({ expiresAt: moment }, optional),
)

const unsigned: { [Kind in LedgerEvent['kind']]: fc.Arbitrary<LedgerEvent> } = {
  founded: merged(
    fc.record({ kind: fc.constant('founded'), at, ledgerId: name }),
    fc.record({ restoredFrom: name }, optional),
  ),
  advertised: fc.record({
    kind: fc.constant('advertised'),
    at,
    clusterId: name,
    door: name,
    advertisement,
  }),
  staled: fc.record({ kind: fc.constant('staled'), at, clusterId: name }),
  returned: fc.record({ kind: fc.constant('returned'), at, clusterId: name }),
  acceptingChanged: merged(
    fc.record({
      kind: fc.constant('acceptingChanged'),
      at,
      clusterId: name,
      accepting: fc.constantFrom('open', 'cordoned', 'withdrawn'),
    }),
    fc.record({ withdrawnAt: moment }, optional),
  ),
  decommissioned: fc.record({ kind: fc.constant('decommissioned'), at, clusterId: name }),
  heard: fc.record({ kind: fc.constant('heard'), at, advertised: heardMap, requesters: heardMap }),
  reserved: fc.record({ kind: fc.constant('reserved'), at, reservation, decision }),
  activated: fc.record({ kind: fc.constant('activated'), at, reservation }),
  renewed: fc.record({ kind: fc.constant('renewed'), at, reservation }),
  released: merged(
    fc.record({ kind: fc.constant('released'), at, reservation, reason, draining: fc.boolean() }),
    fc.record({ waited: fc.constant(true as const) }, optional),
  ),
  drained: fc.record({ kind: fc.constant('drained'), at, reservation, clusterId: name }),
  tombstoned: tombstone.map((one) => ({ kind: 'tombstoned', ...one })),
  peeringOpened: fc.record({
    kind: fc.constant('peeringOpened'),
    ...pair,
    networking,
    hello: fc.string(),
  }),
  peeringPosted: fc.record({
    kind: fc.constant('peeringPosted'),
    ...pair,
    step,
    sealed: fc.string(),
  }),
  peeringTroubled: fc.record({
    kind: fc.constant('peeringTroubled'),
    ...pair,
    role: fc.constantFrom('requester', 'provider'),
    trouble,
  }),
  peeringClosed: fc.record({
    kind: fc.constant('peeringClosed'),
    ...pair,
    reason: fc.constantFrom('Closed', 'Replaced', 'Expired'),
  }),
}

const signature = fc.record({ by: name, why: fc.string() }, optional)

/** Each with the name of its actor, with a reason, or with neither. */
export const events = Object.entries(unsigned).map(
  ([kind, event]) => [kind, merged(event, signature)] as const,
)

export const parts: { [Kind in ImagePart['kind']]: fc.Arbitrary<ImagePart> } = {
  header: fc.record({
    kind: fc.constant('header'),
    ledgerId: name,
    lastNumber: fc.nat(),
    lastAt: moment,
  }),
  clusters: fc.record({
    kind: fc.constant('clusters'),
    clusters: fc.array(fc.record({ cluster, advertisedAt: moment }), { maxLength: 3 }),
  }),
  requesters: fc.record({
    kind: fc.constant('requesters'),
    requesters: fc.array(fc.record({ requester: name, heardAt: moment }), { maxLength: 3 }),
  }),
  reservations: fc.record({
    kind: fc.constant('reservations'),
    reservations: fc.array(reservation, { maxLength: 6 }),
  }),
  draining: fc.record({
    kind: fc.constant('draining'),
    draining: fc.array(fc.record({ id: name, clusterId: name }), { maxLength: 3 }),
  }),
  tombstones: fc.record({
    kind: fc.constant('tombstones'),
    tombstones: fc.array(tombstone, { maxLength: 3 }),
  }),
  peerings: fc.record({
    kind: fc.constant('peerings'),
    peerings: fc.array(peering, { maxLength: 3 }),
  }),
}

/** Some fields always, others only sometimes. */
function merged<A, B>(always: fc.Arbitrary<A>, sometimes: fc.Arbitrary<B>): fc.Arbitrary<A & B> {
  return fc.tuple(always, sometimes).map(([one, other]) => ({ ...one, ...other }))
}

type Fields<Is> = Readonly<Record<string, Readonly<{ is: Is; isOptional?: true }>>>

/** What a table of fields describes: the optional ones are there or not. */
function fieldwise<Made, Is extends string>(
  table: Fields<Is>,
  arbitraryOf: (is: Is, key: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Made> {
  const fields = Object.entries(table)
  const arbitraries = fields.map(([key, { is }]) => [key, arbitraryOf(is, key)] as const)
  const requiredKeys = fields.filter(([, one]) => !one.isOptional).map(([key]) => key)
  const made = fc.record<Record<string, unknown>>(Object.fromEntries(arbitraries), { requiredKeys })
  // The table says of each field what it consists of, and the compiler has checked that.
  return made as fc.Arbitrary<unknown> as fc.Arbitrary<Made>
}
