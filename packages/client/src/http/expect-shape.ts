import type {
  Advertisement,
  AdvertisementReply,
  PeeringSession,
  Reservation,
} from '@bourse/contract'
import { BadAnswer } from '../communicator/errors.ts'

/**
 * The least an answer must have to be worked with. The broker checked its own schema; this is for
 * proxies, wrong addresses and brokers of another make.
 */
export function expectReservation(body: unknown): Reservation {
  if (isTable(body) && typeof body.id === 'string' && isTable(body.status)) {
    // Compat fields are there; ours may be absent with the Go original, as the port says.
    return body as Reservation
  }
  throw new BadAnswer('The answer is not a reservation: is this address really a broker?')
}

export function expectReservations(body: unknown): readonly Reservation[] {
  // The Go original writes an empty Go slice as null.
  if (body === null) return []
  if (Array.isArray(body)) return body.map(expectReservation)
  throw new BadAnswer('The answer is not a list of reservations: is this address really a broker?')
}

export function expectAdvertisement(body: unknown): Advertisement {
  if (isTable(body) && typeof body.clusterID === 'string') return body as Advertisement
  throw new BadAnswer('The answer is not an advertisement: is this address really a broker?')
}

export function expectPublished(body: unknown): Pick<AdvertisementReply, 'advertisement'> & {
  instructions: readonly Reservation[]
} {
  if (!isTable(body)) throw new BadAnswer('The advertisement was not answered as a broker does.')
  return {
    advertisement: expectAdvertisement(body.advertisement),
    instructions: expectReservations(body.providerInstructions ?? []),
  }
}

export function expectPeering(body: unknown): PeeringSession {
  // Only ours has peerings at all, and it checked its own schema.
  if (isTable(body) && typeof body.id === 'string' && isTable(body.messages))
    return body as PeeringSession
  throw new BadAnswer('The answer is not a peering session: is this address really a broker?')
}

/** Ours pages its lists; a bare array is a whole list. */
export function expectPage<T>(
  body: unknown,
  expectOne: (item: unknown) => T,
): { items: readonly T[]; nextCursor?: string } {
  if (Array.isArray(body)) return { items: body.map(expectOne) }
  if (!isTable(body) || !Array.isArray(body.items))
    throw new BadAnswer('The answer is not a list: is this address really a broker?')
  const items = body.items.map(expectOne)
  return typeof body.nextCursor === 'string' ? { items, nextCursor: body.nextCursor } : { items }
}

export function expectTable<T>(body: unknown): T {
  // Shown to people as it is; nothing is computed from it.
  if (isTable(body)) return body as T
  throw new BadAnswer('The answer is empty: is this address really a broker?')
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
