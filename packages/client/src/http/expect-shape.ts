import type { Advertisement, PeeringSession, Reservation } from '@bourse/contract'
import type { Published } from '../communicator/broker-communicator.ts'
import { BadAnswer } from '../communicator/errors.ts'

/**
 * Checks the least that an answer must have. The broker validates its own answers; this is for
 * proxies, wrong addresses and the Go original.
 */
export function expectReservation(body: unknown): Reservation {
  if (isTable(body) && typeof body.id === 'string' && isTable(body.status)) {
    // Fields that the Go original lacks may be absent.
    return body as Reservation
  }
  throw strange('is not a reservation')
}

export function expectReservations(body: unknown): readonly Reservation[] {
  // The Go original writes an empty Go slice as null.
  if (body === null) return []
  if (Array.isArray(body)) return body.map(expectReservation)
  throw strange('is not a list of reservations')
}

export function expectAdvertisement(body: unknown): Advertisement {
  if (isTable(body) && typeof body.clusterID === 'string') return body as Advertisement
  throw strange('is not an advertisement')
}

export function expectPublished(
  body: unknown,
): Pick<Published, 'advertisement' | 'instructions' | 'ignored'> {
  if (!isTable(body)) throw strange('to the advertisement is not an object')
  return {
    advertisement: expectAdvertisement(body.advertisement),
    instructions: expectReservations(body.providerInstructions ?? []),
    ...(Array.isArray(body.ignored) && { ignored: body.ignored.map(String) }),
  }
}

export function expectPeering(body: unknown): PeeringSession {
  // Only our broker has peerings, and it validates them.
  if (isTable(body) && typeof body.id === 'string' && isTable(body.messages))
    return body as PeeringSession
  throw strange('is not a peering session')
}

/** Our broker sends pages; a bare array is a whole list. */
export function expectPage<T>(
  body: unknown,
  expectOne: (item: unknown) => T,
): { items: readonly T[]; nextCursor?: string } {
  if (Array.isArray(body)) return { items: body.map(expectOne) }
  if (!isTable(body) || !Array.isArray(body.items)) throw strange('is not a list')
  const items = body.items.map(expectOne)
  return typeof body.nextCursor === 'string' ? { items, nextCursor: body.nextCursor } : { items }
}

export function expectTable<T>(body: unknown): T {
  // Only shown to people.
  if (isTable(body)) return body as T
  throw strange('is empty')
}

function strange(what: string): BadAnswer {
  return new BadAnswer(`The answer ${what}: is this address really a broker?`)
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
