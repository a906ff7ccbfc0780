import type { Reservation, ReservationRequest } from '@bourse/contract'

/** A reservation that the broker has confirmed, as its requester last heard of it. */
export type Grant = {
  readonly requester: string
  readonly request: ReservationRequest & { requestId: string }
  readonly id: string
  readonly targetClusterId: string
  phase: 'Reserved' | 'Active' | 'Released'
  expiresAt: number | undefined
  /** It was released by its request id, which is refused since. */
  isForgone: boolean
}

/** A request id that was released before it was ever used. */
export type Tombstone = Readonly<{ requester: string; requestId: string }>

/**
 * The callers' own record of all that the broker has acknowledged, kept apart from it. What the
 * broker says after a crash has to agree with this.
 */
export type Acknowledged = ReturnType<typeof createAcknowledged>

export function createAcknowledged() {
  const grants = new Map<string, Grant>()
  const tombstones: Tombstone[] = []
  let ledgerId: string | undefined
  let index = 0
  let recovered = 0
  const contradictions: string[] = []

  function granted(requester: string, request: Grant['request'], reservation: Reservation): Grant {
    const { id, targetClusterID: targetClusterId, status } = reservation
    if (grants.has(id)) contradictions.push(`${id} was granted for two requests`)
    const grant: Grant = {
      requester,
      request,
      id,
      targetClusterId,
      phase: 'Reserved',
      expiresAt: momentOf(status.expiresAt),
      isForgone: false,
    }
    grants.set(id, grant)
    return grant
  }

  function changed(grant: Grant, phase: Grant['phase'], { id, status }: Reservation): void {
    if (id !== grant.id || status.phase !== phase)
      contradictions.push(`${grant.id} became ${id} in ${status.phase}, not ${phase}`)
    grant.phase = phase
    grant.expiresAt = momentOf(status.expiresAt)
  }

  /** The first answer was lost with the broker, and the second found what the first had said. */
  function foundAgain(): void {
    recovered += 1
  }

  /** An answer's stamp: the ledger never changes, the index never falls below what was told. */
  function heard(stamp: Readonly<{ ledgerId?: string; index?: number }>): void {
    if (ledgerId !== undefined && stamp.ledgerId !== ledgerId)
      contradictions.push(`ledger ${ledgerId} became ${stamp.ledgerId}`)
    ledgerId = stamp.ledgerId
    index = Math.max(index, stamp.index ?? 0)
  }

  return {
    grants,
    tombstones,
    contradictions,
    granted,
    changed,
    foundAgain,
    heard,
    index: () => index,
    recovered: () => recovered,
  }
}

function momentOf(written: string | undefined): number | undefined {
  return written === undefined ? undefined : Date.parse(written)
}
