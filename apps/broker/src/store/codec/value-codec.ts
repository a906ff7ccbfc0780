import type {
  Advertisement,
  Cluster,
  Cost,
  HourlyPrice,
  Leg,
  Reservation,
} from '@bourse/domain/ledger'
import {
  decodeAmount,
  decodeResources,
  encodeAmount,
  encodeResources,
  mapValues,
  type Stored,
} from './amount-codec.ts'
import { ADVERTISEMENT_FIELDS, reservationFields, type Shape } from './fields.ts'
import { isTooDeep } from './nesting.ts'

/** Shapes whose JSON is not yet the value. */
const decoders: Partial<Record<Shape, (stored: never) => unknown>> = {
  vector: decodeResources,
  legs: (legs: Stored<readonly Leg[]>) =>
    legs.map((leg) => ({ ...leg, resources: decodeResources(leg.resources) })),
  price: (price: Stored<HourlyPrice>) => ({ ...price, perHour: decodeAmount(price.perHour) }),
}

const decoded = reservationFields.flatMap(({ key, is }) => {
  const decode = decoders[is]
  return decode ? [{ key, decode }] : []
})

export function decodeReservation(stored: Stored<Reservation>): Reservation {
  const made: Record<string, unknown> = { ...stored }
  for (const { key, decode } of decoded) {
    const value = made[key]
    if (value !== undefined) made[key] = decode(value as never)
  }
  // The table has a decoder for every field that is not plain JSON.
  return made as Reservation
}

export const encodeAdvertisement = (advertisement: Advertisement): Stored<Advertisement> =>
  // The table knows which fields are not plain JSON.
  converted(advertisement, encoders) as Stored<Advertisement>

export const decodeAdvertisement = (stored: Stored<Advertisement>): Advertisement =>
  converted(stored, readers) as Advertisement

type Said = (typeof ADVERTISEMENT_FIELDS)[keyof Advertisement]['is']
type Converters = Readonly<Partial<Record<Said, (value: never) => unknown>>>

const encoders: Converters = {
  vector: encodeResources,
  vectors: (used: Advertisement['used']) => mapValues(used, encodeResources),
  cost: ({ currency, ...amounts }: Cost) => ({ currency, ...mapValues(amounts, encodeAmount) }),
}

const readers: Converters = {
  vector: decodeResources,
  vectors: (used: Stored<Advertisement['used']>) => mapValues(used, decodeResources),
  cost: ({ currency, ...amounts }: Stored<Cost>) => ({
    currency,
    ...mapValues(amounts, decodeAmount),
  }),
  // Brokers up to 0.1 took what is too deep to be shown: one of them would spoil every list.
  foreign: (liqo: unknown) => (isTooDeep(liqo) ? undefined : liqo),
}

function converted(said: object, converters: Converters): unknown {
  const made: Record<string, unknown> = { ...said }
  for (const { key, is } of advertised) {
    const value = made[key]
    const convert = converters[is]
    if (value === undefined || !convert) continue
    const changed = convert(value as never)
    if (changed === undefined) delete made[key]
    else made[key] = changed
  }
  return made
}

const advertised = Object.entries(ADVERTISEMENT_FIELDS)
  .map(([key, { is }]) => ({ key, is }))
  .filter(({ is }) => is !== 'plain')

export const encodeCluster = (cluster: Cluster): Stored<Cluster> => ({
  ...cluster,
  advertisement: encodeAdvertisement(cluster.advertisement),
})

export const decodeCluster = (stored: Stored<Cluster>): Cluster => ({
  ...stored,
  advertisement: decodeAdvertisement(stored.advertisement),
})
