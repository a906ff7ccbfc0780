import type { HourlyPrice, Leg, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { onceEach } from '../../cache/once-each.ts'
import { encodeAmount, encodeResources } from './amount-codec.ts'

/** A dozen resources; a vector may have 64 with long names. */
const KEPT_LENGTH_MAX = 512
const few = { isSmall: (text: string) => text.length <= KEPT_LENGTH_MAX }

const vectorText = onceEach<Resources, string>(
  (vector) => JSON.stringify(encodeResources(vector)),
  few,
)

const legsText = onceEach<readonly Leg[], string>((legs) => `[${legs.map(legText).join()}]`, few)

const priceText = onceEach<HourlyPrice, string>(({ perHour, currency }) =>
  JSON.stringify({ perHour: encodeAmount(perHour), currency }),
)

/**
 * One reservation, as `decodeReservation` reads it. Put together from what is printed already:
 * thousands a second are written down, and like ones differ in their ids and moments alone.
 */
export function reservationText(reservation: Reservation): string {
  const { id, requester, door, wanted, priority, legs, phase } = reservation
  const { createdAt, startsAt, decidedIndex, changedIndex } = reservation
  return (
    `{"id":${quoted(id)},"requester":${quoted(requester)},"door":${quoted(door)},` +
    `"wanted":${vectorText(wanted)},"priority":${priority},"legs":${legsText(legs)},` +
    `"phase":"${phase}","createdAt":${createdAt},"startsAt":${startsAt},` +
    `"decidedIndex":${decidedIndex},"changedIndex":${changedIndex}${optionalText(reservation)}}`
  )
}

function optionalText(reservation: Reservation): string {
  const { requestId, fingerprint, expiresAt, price } = reservation
  const { aliases, pinned, activatedAt, endedAt, reason } = reservation
  let text = ''
  if (requestId !== undefined) text += `,"requestId":${quoted(requestId)}`
  if (fingerprint !== undefined) text += `,"fingerprint":${quoted(fingerprint)}`
  if (expiresAt !== undefined) text += `,"expiresAt":${expiresAt}`
  if (price !== undefined) text += `,"price":${priceText(price)}`
  if (aliases !== undefined) text += `,"aliases":${JSON.stringify(aliases)}`
  if (pinned !== undefined) text += `,"pinned":${quoted(pinned)}`
  if (activatedAt !== undefined) text += `,"activatedAt":${activatedAt}`
  if (endedAt !== undefined) text += `,"endedAt":${endedAt}`
  if (reason !== undefined) text += `,"reason":"${reason}"`
  return text
}

function legText({ clusterId, resources }: Leg): string {
  return `{"clusterId":${quoted(clusterId)},"resources":${vectorText(resources)}}`
}

const quoted = (text: string): string => JSON.stringify(text)
