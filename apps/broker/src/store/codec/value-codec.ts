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

type Converters<Is extends string> = Readonly<Partial<Record<Is, (value: never) => unknown>>>
type Step = Readonly<{ key: string; convert(value: never): unknown }>

/** Shapes whose JSON is not yet the value. */
const decoders: Converters<Shape> = {
  vector: decodeResources,
  legs: (legs: Stored<readonly Leg[]>) =>
    legs.map((leg) => ({ ...leg, resources: decodeResources(leg.resources) })),
  price: (price: Stored<HourlyPrice>) => ({ ...price, perHour: decodeAmount(price.perHour) }),
}

type Said = (typeof ADVERTISEMENT_FIELDS)[keyof Advertisement]['is']

const encoders: Converters<Said> = {
  vector: encodeResources,
  vectors: (used: Advertisement['used']) => mapValues(used, encodeResources),
  cost: ({ currency, ...amounts }: Cost) => ({ currency, ...mapValues(amounts, encodeAmount) }),
}

const readers: Converters<Said> = {
  vector: decodeResources,
  vectors: (used: Stored<Advertisement['used']>) => mapValues(used, decodeResources),
  cost: ({ currency, ...amounts }: Stored<Cost>) => ({
    currency,
    ...mapValues(amounts, decodeAmount),
  }),
  // Brokers up to 0.1 took what is too deep to be shown: one of them would spoil every list.
  foreign: (liqo: unknown) => (isTooDeep(liqo) ? undefined : liqo),
}

const advertised = Object.entries(ADVERTISEMENT_FIELDS).map(([key, { is }]) => ({ key, is }))
const reservationDecoding = stepsOf(reservationFields, decoders)
const advertisementEncoding = stepsOf(advertised, encoders)
const advertisementDecoding = stepsOf(advertised, readers)

// The tables have a step for every field that is not plain JSON.
export const decodeReservation = (stored: Stored<Reservation>): Reservation =>
  converted(stored, reservationDecoding) as Reservation

export const encodeAdvertisement = (advertisement: Advertisement): Stored<Advertisement> =>
  converted(advertisement, advertisementEncoding) as Stored<Advertisement>

export const decodeAdvertisement = (stored: Stored<Advertisement>): Advertisement =>
  converted(stored, advertisementDecoding) as Advertisement

function stepsOf<Is extends string>(
  fields: readonly Readonly<{ key: string; is: Is }>[],
  converters: Converters<Is>,
): readonly Step[] {
  return fields.flatMap(({ key, is }) => {
    const convert = converters[is]
    return convert ? [{ key, convert }] : []
  })
}

function converted(from: object, steps: readonly Step[]): unknown {
  const made: Record<string, unknown> = { ...from }
  for (const { key, convert } of steps) {
    const value = made[key]
    if (value === undefined) continue
    const changed = convert(value as never)
    if (changed === undefined) delete made[key]
    else made[key] = changed
  }
  return made
}

export const encodeCluster = (cluster: Cluster): Stored<Cluster> => ({
  ...cluster,
  advertisement: encodeAdvertisement(cluster.advertisement),
})

export const decodeCluster = (stored: Stored<Cluster>): Cluster => ({
  ...stored,
  advertisement: decodeAdvertisement(stored.advertisement),
})
