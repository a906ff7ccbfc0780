import type { Reservation as WireReservation } from '@bourse/contract'
import {
  type Cluster,
  type HourlyPrice,
  holdsNow,
  type LedgerView,
  type Leg,
  type Reservation,
  targetOf,
} from '@bourse/domain/ledger'
import { canonicalName, formatMoney, printResources, type Resources } from '@bourse/domain/quantity'
import { onceEach } from '../../cache/once-each.ts'
import { isoOf } from '../../presentation/moments.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import { messageOf } from '../../presentation/reservation-message.ts'

const NEVER = Number.POSITIVE_INFINITY

/** A reservation as its requester, or an operator, sees it. */
export function toReservation(reservation: Reservation, noteOf: NoteOf): WireReservation {
  const { legs, wanted } = reservation
  const target = targetOf(reservation) ?? ''
  const silent = legs.find(({ clusterId }) => noteOf(clusterId).isStale)?.clusterId
  const { endpointUrl } = noteOf(target)
  const withdrawnAt = firstWithdrawal(legs, noteOf)
  const { aliases } = reservation
  const about = { endpointURL: endpointUrl, silent, withdrawnAt, aliases }
  return toWire(reservation, { target, resources: wanted, ...about })
}

function firstWithdrawal(legs: readonly Leg[], noteOf: NoteOf): number {
  let first = NEVER
  for (const { clusterId } of legs) first = Math.min(first, noteOf(clusterId).withdrawnAt ?? NEVER)
  return first
}

export type Held = Readonly<{
  clusterId: string
  provider: Cluster | undefined
  reservations: readonly Reservation[]
}>

/** All that is held on a cluster: a copy, which later changes of the ledger do not affect. */
export function heldOn(clusterId: string, view: LedgerView): Held {
  const reservations = [...view.heldOn(clusterId)]
  return { clusterId, provider: view.cluster(clusterId), reservations }
}

/** The reservations as their provider sees them. */
export function toInstructions({ clusterId, provider, reservations }: Held): WireReservation[] {
  return reservations.map((one) => toInstruction(one, clusterId, provider))
}

/** A reservation as one provider sees it: only its own part, with the names that it uses. */
export function toInstruction(
  reservation: Reservation,
  clusterId: string,
  provider: Cluster | undefined,
): WireReservation {
  const own = reservation.legs.find((leg) => leg.clusterId === clusterId)
  return toWire(reservation, {
    target: clusterId,
    resources: own?.resources ?? {},
    aliases: provider ? wordsOf(provider, reservation) : reservation.aliases,
    withdrawnAt: provider?.withdrawnAt,
  })
}

/** A resource that the provider no longer advertises keeps the requester's name for it. */
function wordsOf({ advertisement }: Cluster, { aliases }: Reservation): Shown['aliases'] {
  const { capacity, aliases: own } = advertisement
  const others = aliases?.filter((alias) => !(canonicalName(alias) in capacity)) ?? []
  return others.length > 0 ? [...(own ?? []), ...others] : own
}

type Shown = Readonly<{
  target: string
  resources: Leg['resources']
  /** Short names that the reader uses. */
  aliases?: readonly string[] | undefined
  endpointURL?: string | undefined
  /** A provider that has been silent for too long. */
  silent?: string | undefined
  /** When the first of its providers takes back what it holds. */
  withdrawnAt?: number | undefined
}>

type Wire = { -readonly [Field in keyof WireReservation]: WireReservation[Field] }
type WireStatus = { -readonly [Field in keyof Wire['status']]: Wire['status'][Field] }

const KEPT_NAMES_MAX = 8
const printed = onceEach((resources: Resources) => printResources(resources), {
  isSmall: (quantities) => Object.keys(quantities).length <= KEPT_NAMES_MAX,
})
const costOf = onceEach(({ perHour, currency }: HourlyPrice) => ({
  perHour: formatMoney(perHour),
  currency,
}))

// Optional fields are added one by one: spread into the literal they take longer than all others.

function toWire(reservation: Reservation, shown: Shown): WireReservation {
  const { id, requester, requestId, priority, reason, price, pinned, createdAt } = reservation
  const { endpointURL, resources, aliases } = shown
  const { endedBy, endedWhy, oneNode, largestNode } = reservation
  const wire: Wire = {
    id,
    requesterID: requester,
    targetClusterID: shown.target,
    requestedResources: aliases ? printResources(resources, aliases) : printed(resources),
    status: statusOf(reservation, shown),
    createdAt: isoOf(createdAt),
    priority,
    index: reservation.changedIndex,
  }
  if (requestId !== undefined) wire.requestId = requestId
  if (pinned !== undefined) wire.pinned = true
  if (oneNode) wire.oneNode = true
  if (largestNode) wire.largestNode = printResources(largestNode, aliases)
  if (endpointURL !== undefined) wire.endpointURL = endpointURL
  if (reason) wire.reason = reason
  if (endedBy !== undefined) wire.endedBy = endedBy
  if (endedWhy !== undefined) wire.endedWhy = endedWhy
  if (price) wire.cost = costOf(price)
  return wire
}

function statusOf(reservation: Reservation, shown: Shown): WireReservation['status'] {
  const { phase, reason, activatedAt, endedAt } = reservation
  const { silent, withdrawnAt = NEVER } = shown
  const hasCapacity = phase !== 'Pending' && phase !== 'Failed'
  const inDoubt = holdsNow(phase) && silent !== undefined
  const endsEarly = holdsNow(phase) && withdrawnAt < (reservation.expiresAt ?? NEVER)
  const expiresAt = endsEarly ? withdrawnAt : reservation.expiresAt
  let message = messageOf(reservation)
  if (endsEarly) message += `, until ${isoOf(withdrawnAt)}: its provider is withdrawing`
  if (inDoubt) message += `, in doubt: ${silent} has been silent for too long`
  const status: WireStatus = { phase, message }
  if (reason) status.reason = reason
  if (inDoubt) status.inDoubt = inDoubt
  if (hasCapacity) status.reservedAt = isoOf(reservation.startsAt)
  if (activatedAt !== undefined) status.activatedAt = isoOf(activatedAt)
  if (expiresAt !== undefined) status.expiresAt = isoOf(expiresAt)
  if (endedAt !== undefined) status.endedAt = isoOf(endedAt)
  return status
}
