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

/** A replicated ResourceSlice: what it asks for, and its owner. */
export type AskingSlice = Readonly<{
  /** `namespace/name`. */
  key: string
  name: string
  /** The requester's Liqo id as the slice claims it. */
  consumer: string | undefined
  /** The Liqo id of the slice's namespace: a requester cannot choose it. */
  liqoTenant: string | undefined
  /** The condition that an operator has set on the Tenant, if any. */
  standing?: 'Active' | 'Cordoned' | 'Drained' | undefined
  isGranted: boolean
  asked: Resources
  /** Its last grant. */
  had?: Resources | undefined
}>

/** What decides about a slice. */
export type SliceFacts = Readonly<{
  /** From the broker; also expired ones. */
  reservations: readonly HeldReservation[]
  /** Undefined: not known yet. */
  liqoIdOf(requester: string): string | undefined
  /** The slice that already has this reservation's grant, if any. */
  holderOf(reservationId: string): string | undefined
  /** Granted in addition: a node without it is useless. */
  extras: Resources
}>

export const GRANT_REASONS = ['Granted', 'Capped'] as const
/** `ReservationOver`: it was granted before, and the broker has ended or forgotten it since. */
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
/** Not for us to judge, or not yet. */
type Leave = Readonly<{ kind: 'leave'; isForNow: boolean }>
export type Verdict = Grant | Denial | Leave

/**
 * The verdict on a slice: min(asked, reserved) of everything reserved, if it belongs to a live
 * reservation of the same requester. Only names that the requester cannot choose are trusted;
 * `nowMs` is the broker's time.
 */
export function judgeSlice(slice: AskingSlice, facts: SliceFacts, nowMs: number): Verdict {
  // Liqo refuses such a slice by itself.
  if (slice.liqoTenant === undefined || slice.consumer !== slice.liqoTenant)
    return { kind: 'leave', isForNow: false }
  const asksFor = reservationOf(slice.name)
  const named = facts.reservations.find(({ id }) => id === asksFor)
  if (!named) return noReservation(slice)
  const requester = facts.liqoIdOf(named.requester)
  if (requester === undefined) return { kind: 'leave', isForNow: true }
  // The same message, so that a requester does not learn of others' reservations.
  if (requester !== slice.liqoTenant) return noReservation(slice)
  if (named.expiresAt !== undefined && nowMs >= named.expiresAt) return expired(named)
  const holder = facts.holderOf(named.id)
  if (holder !== undefined && holder !== slice.key) return taken(named, holder)
  if (!isWelcome(slice)) return cordoned(slice)
  return granted(named, slice, facts.extras)
}

/** A cordoned tenant keeps its grants and gets no new ones; a drained tenant has none. */
function isWelcome({ standing = 'Active', isGranted }: AskingSlice): boolean {
  return standing === 'Active' || (standing === 'Cordoned' && isGranted)
}

/** Invalid quantities ask for nothing, and so for no less than is reserved. */
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
  // Reserved resources come first and win.
  const most: Resources = { ...reservation.resources, ...extras, ...reservation.resources }
  // Zeros are written explicitly: a node forgets a removed resource only when it restarts.
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

/** A resource that is not asked for is granted as reserved: the node would lack it otherwise. */
function lesser(isAsked: boolean, asked: Resources, most: Resources, name: string): bigint {
  const [wanted, limit] = [amountOf(asked, name), amountOf(most, name)]
  return isAsked && wanted < limit ? wanted : limit
}

function noReservation({ name, liqoTenant }: AskingSlice): Verdict {
  const message = `Slice ${name} belongs to no reservation of ${liqoTenant} here: reserve first, and let the agent create the slice.`
  return { kind: 'deny', reason: 'NoReservation', message }
}

function expired({ id, expiresAt = 0 }: HeldReservation): Verdict {
  const message = `Reservation ${id} ended at ${new Date(expiresAt).toISOString()}.`
  return { kind: 'deny', reason: 'ReservationExpired', message }
}

function taken({ id }: HeldReservation, holder: string): Verdict {
  const message = `Reservation ${id} already has slice ${holder}: each reservation has one slice.`
  return { kind: 'deny', reason: 'ReservationHasSlice', message }
}

function cordoned({ liqoTenant, standing }: AskingSlice): Verdict {
  const message = `An operator of this cluster has set Tenant ${liqoTenant} to ${standing?.toLowerCase()}.`
  return { kind: 'deny', reason: 'TenantCordoned', message }
}

export type Judgement = Readonly<{ result: 'granted' | 'denied'; reason: string }>

const KNOWN: ReadonlySet<string | undefined> = new Set([...GRANT_REASONS, ...DENY_REASONS])
/** Another writer's reason, not one of ours. */
const FOREIGN = 'Foreign'

/** The verdict of a changed slice, if it is new. */
export function judgementIn(slice: ResourceSlice, before?: ResourceSlice): Judgement | undefined {
  const said = sliceCondition(slice, 'Resources')
  const last = before && sliceCondition(before, 'Resources')
  if (!said || (last?.status === said.status && last.reason === said.reason)) return undefined
  const result = said.status === 'Accepted' ? 'granted' : 'denied'
  return { result, reason: KNOWN.has(said.reason) ? (said.reason ?? FOREIGN) : FOREIGN }
}
