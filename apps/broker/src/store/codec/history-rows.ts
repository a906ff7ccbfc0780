import { BURIED, type RememberedRequest, type Reservation } from '@bourse/domain/ledger'
import type { DecisionRecord, EndedQuery, HistoryBatch, Tombstone } from '../port/history.ts'
import { decodeEnded, encodeDecision, encodeEnded } from './history-codec.ts'
import { requestKey } from './request-key.ts'

const REQUESTER = 1
const PROVIDER = 2

/** Before every row when going down, and every id is below it. */
export const LAST = { createdAt: Number.MAX_SAFE_INTEGER, id: '\u{10ffff}' }

/**
 * What an id led to: a reservation, a tombstone (which only an export reads whole), or the one and
 * then the other.
 */
export type RequestRow = Readonly<{
  key: string
  requester: string
  at: number
  reservation: string | null
  tombstone: string | null
}>

/** The reservation, unless it is forgotten, and whether a request with that id is refused. */
export type RequestTexts = Readonly<{ granted: string | undefined; isBuried: boolean }>

/** A grant that is buried is known by a fingerprint that no request has. */
export function rememberedOf({ granted, isBuried }: RequestTexts): RememberedRequest | undefined {
  if (granted === undefined) return isBuried ? { kind: 'tombstone' } : undefined
  const reservation = decodeEnded(granted)
  return {
    kind: 'granted',
    reservation: isBuried ? { ...reservation, fingerprint: BURIED } : reservation,
  }
}

export type HistoryRows = ReturnType<typeof rowsOf>
export type EndedRow = ReturnType<typeof endedRow>

/** A history batch as rows: encoded by the caller's thread, so that the store's only writes. */
export function rowsOf({ through, decisions, ended, tombstones }: HistoryBatch) {
  const requests = [...ended.flatMap(grantRows), ...tombstones.map(tombstoneRow)]
  return { through, decisions: decisions.map(decisionRow), ended: ended.map(endedRow), requests }
}

const decisionRow = (record: DecisionRecord) => ({
  id: record.reservationId,
  text: encodeDecision(record),
})

const endedRow = (reservation: Reservation) => ({
  id: reservation.id,
  createdAt: reservation.createdAt,
  endedAt: endOf(reservation),
  requestKey: keyOf(reservation),
  text: encodeEnded(reservation),
  parties: partiesOf(reservation),
})

function grantRows(reservation: Reservation): readonly RequestRow[] {
  const key = keyOf(reservation)
  if (key === null) return []
  const { id, requester } = reservation
  return [{ key, requester, at: endOf(reservation), reservation: id, tombstone: null }]
}

const tombstoneRow = (tombstone: Tombstone): RequestRow => ({
  key: requestKey(tombstone),
  requester: tombstone.requester,
  at: tombstone.at,
  reservation: null,
  tombstone: JSON.stringify(tombstone),
})

export function partiesOf({
  requester,
  legs,
}: Readonly<{ requester: string; legs: readonly Readonly<{ clusterId: string }>[] }>) {
  const roles = new Map([[requester, REQUESTER]])
  for (const { clusterId } of legs) roles.set(clusterId, (roles.get(clusterId) ?? 0) | PROVIDER)
  return Array.from(roles, ([cluster, mask]) => ({ cluster, roles: mask }))
}

export function rolesOf(role: EndedQuery['role']): number {
  if (role === undefined) return REQUESTER | PROVIDER
  return role === 'requester' ? REQUESTER : PROVIDER
}

export const endOf = ({ endedAt, createdAt }: Reservation) => endedAt ?? createdAt

function keyOf({ door, requester, requestId }: Reservation): string | null {
  return requestId === undefined ? null : requestKey({ door, requester, requestId })
}
