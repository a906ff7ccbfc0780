import {
  amountOf,
  canonicalName,
  describeResources,
  parseQuantity,
  type Resources,
  unitOf,
} from '@bourse/domain/quantity'
import type { HeldReservation } from '../../port/peering.ts'
import {
  type ResourceSlice,
  reservationOf,
  shortagesOf,
  sliceCondition,
} from '../liqo/resource-slice.ts'

/** What a replicated ResourceSlice asks for, and whose it is. */
export type AskingSlice = Readonly<{
  /** `namespace/name`. */
  key: string
  name: string
  /** The Liqo id of whoever asks, as the slice says. */
  consumer: string | undefined
  /** The Liqo id that the slice's namespace is for: this one nobody outside can choose. */
  tenant: string | undefined
  /** What an operator here has said of that tenant, if anything. */
  standing?: 'Active' | 'Cordoned' | 'Drained' | undefined
  isGranted: boolean
  asked: Resources
  /** What it was granted before. */
  had?: Resources | undefined
}>

export type Books = Readonly<{
  /** Told by the broker; also those whose time is over. */
  reservations: readonly HeldReservation[]
  /** Undefined: that cluster has not said yet. */
  liqoIdOf(requester: string): string | undefined
  /** The slice that has what this reservation holds, if one does. */
  holderOf(reservationId: string): string | undefined
  /** Granted beside what is reserved, as a node without it is of no use. */
  extras: Resources
}>

export const GRANT_REASONS = ['Granted', 'Capped'] as const
/** `ReservationOver`: it was granted once, and the broker has ended or forgotten it since. */
const DENY_REASONS = [
  'NoReservation',
  'ReservationExpired',
  'ReservationOver',
  'ReservationHasSlice',
  'TenantCordoned',
] as const

export type Grant = Readonly<{
  kind: 'grant'
  reservation: HeldReservation
  resources: Resources
  reason: (typeof GRANT_REASONS)[number]
  message: string
}>
export type Denial = Readonly<{
  kind: 'deny'
  reason: (typeof DENY_REASONS)[number]
  message: string
}>
/** Not ours to judge, or not yet. */
export type Leave = Readonly<{ kind: 'leave'; isForNow: boolean }>
export type Verdict = Grant | Denial | Leave

/**
 * What becomes of a slice: min(asked, reserved) of everything that is reserved, if a live
 * reservation of that very requester stands behind it. Only names that the requester cannot choose
 * are believed; `nowMs` is the broker's time.
 */
export function judgeSlice(slice: AskingSlice, books: Books, nowMs: number): Verdict {
  // Liqo refuses such a slice by itself.
  if (slice.tenant === undefined || slice.consumer !== slice.tenant)
    return { kind: 'leave', isForNow: false }
  const asksFor = reservationOf(slice.name)
  const named = books.reservations.find(({ id }) => id === asksFor)
  if (!named) return noReservation(slice)
  const requester = books.liqoIdOf(named.requester)
  if (requester === undefined) return { kind: 'leave', isForNow: true }
  // Said alike, so that nobody learns which reservations others have.
  if (requester !== slice.tenant) return noReservation(slice)
  if (named.expiresAt !== undefined && nowMs >= named.expiresAt) return expired(named)
  const holder = books.holderOf(named.id)
  if (holder !== undefined && holder !== slice.key) return taken(named, holder)
  if (!isWelcome(slice)) return cordoned(slice)
  return granted(named, slice, books.extras)
}

/** Cordoned, it keeps what it has and gets nothing new; drained, it has nothing. */
function isWelcome({ standing = 'Active', isGranted }: AskingSlice): boolean {
  return standing === 'Active' || (standing === 'Cordoned' && isGranted)
}

/** Quantities that cannot be read ask for nothing, and so for no less than is reserved. */
export function askedIn(written: Readonly<Record<string, string | number>> = {}): Resources {
  const asked: Record<string, bigint> = {}
  for (const [given, quantity] of Object.entries(written)) {
    const name = canonicalName(given)
    const parsed = parseQuantity(`${quantity}`, { unit: unitOf(name), round: 'down' })
    if (parsed.kind === 'ok') asked[name] = parsed.amount
  }
  return asked
}

function granted(
  reservation: HeldReservation,
  { asked, had }: AskingSlice,
  extras: Resources,
): Verdict {
  // What is reserved comes first, in order and in rank.
  const most: Resources = { ...reservation.resources, ...extras, ...reservation.resources }
  // Nothing of something is said, too: a node forgets what merely vanishes only when it restarts.
  const names = new Set(Object.keys({ ...most, ...asked, ...had }))
  const resources = Object.fromEntries(
    [...names].map((name) => [name, lesser(name in asked, asked, most, name)]),
  )
  const shortages = shortagesOf(resources, asked)
  if (shortages.length === 0) {
    const message = `As reserved: ${describeResources(resources)}.`
    return { kind: 'grant', reservation, resources, reason: 'Granted', message }
  }
  const message = `Capped at what ${reservation.id} reserves: ${shortages.join(', ')}.`
  return { kind: 'grant', reservation, resources, reason: 'Capped', message }
}

/** What is not asked for by name is wanted as it is reserved: a node lacks it otherwise. */
function lesser(isAsked: boolean, asked: Resources, most: Resources, name: string): bigint {
  const [wanted, limit] = [amountOf(asked, name), amountOf(most, name)]
  return isAsked && wanted < limit ? wanted : limit
}

function noReservation({ name, tenant }: AskingSlice): Verdict {
  const message = `No reservation of ${tenant} here belongs to slice ${name}: reserve first, and let the agent make the slice.`
  return { kind: 'deny', reason: 'NoReservation', message }
}

function expired({ id, expiresAt = 0 }: HeldReservation): Verdict {
  const message = `Reservation ${id} was over at ${new Date(expiresAt).toISOString()}.`
  return { kind: 'deny', reason: 'ReservationExpired', message }
}

function taken({ id }: HeldReservation, holder: string): Verdict {
  const message = `Reservation ${id} has slice ${holder} already: one reservation is one slice.`
  return { kind: 'deny', reason: 'ReservationHasSlice', message }
}

function cordoned({ tenant, standing }: AskingSlice): Verdict {
  const message = `An operator of this cluster has said that tenant ${tenant} is ${standing?.toLowerCase()}.`
  return { kind: 'deny', reason: 'TenantCordoned', message }
}

export type Judgement = Readonly<{ result: 'granted' | 'denied'; reason: string }>

const KNOWN: ReadonlySet<string | undefined> = new Set([...GRANT_REASONS, ...DENY_REASONS])
/** Not a reason of ours: somebody else wrote it. */
const FOREIGN = 'Foreign'

/** What a change of a slice says about it that was not said before, if anything. */
export function judgementIn(slice: ResourceSlice, before?: ResourceSlice): Judgement | undefined {
  const said = sliceCondition(slice, 'Resources')
  const last = before && sliceCondition(before, 'Resources')
  if (!said || (last?.status === said.status && last.reason === said.reason)) return undefined
  const result = said.status === 'Accepted' ? 'granted' : 'denied'
  return { result, reason: KNOWN.has(said.reason) ? (said.reason ?? FOREIGN) : FOREIGN }
}
