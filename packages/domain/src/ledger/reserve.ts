import type { Board, Placement, PlacementRequest } from '../placement/index.ts'
import { priceFor } from '../placement/index.ts'
import type { ReserveCommand } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { HourlyPrice, Reservation } from './reservation.ts'
import { reservationId } from './reservation-id.ts'
import type { Step } from './step.ts'

type Placing = Readonly<{
  placement: Placement
  board: Board
  currency: string
}>

/** A refusal explains itself with some of the clusters; an evaluation shows them all. */
const REFUSAL_ROWS_MAX = 20

/** Finds the best provider and locks the capacity there, in one step. */
export function reserve(step: Step, command: ReserveCommand, placing: Placing): Outcome {
  const earlier = earlierAnswer(step, command)
  if (earlier) return earlier

  step.books.providers.refreshBoard()
  const request = placementRequest(command)
  const { winner: best, summary, wanted } = placing.placement.decide(placing.board, request)
  const winner = command.isHeldAlready ? knownProvider(step, command.pinned) : best
  if (winner === undefined) {
    const ranking = placing.placement.rank(placing.board, request, { rowsMax: REFUSAL_ROWS_MAX })
    return { kind: 'refused', ranking }
  }
  // Many live reservations want the same: one vector for all of them is memory saved.
  const shared = { ...command, wanted }
  const reservation = grant(step, { command: shared, winner, currency: placing.currency })
  step.emit({ kind: 'reserved', at: step.now, reservation, decision: summary })
  return { kind: 'reserved', reservation }
}

/** Where something is held already there is nothing to choose, and too little room is no reason. */
function knownProvider({ books }: Step, pinned: string | undefined): string | undefined {
  return pinned !== undefined && books.providers.get(pinned) ? pinned : undefined
}

/** The same request id again finds the same reservation: that is what makes retries safe. */
function earlierAnswer({ books }: Step, command: ReserveCommand): Outcome | undefined {
  const { door, requester, requestId, fingerprint, remembered } = command
  if (requestId === undefined) return undefined
  const scope = { door, requester, requestId }
  const known = books.requestIds.reservationOf(scope)
  const reservation =
    known === undefined
      ? remembered?.kind === 'granted' && remembered.reservation
      : books.reservations.at(known)
  if (reservation) {
    const kind = reservation.fingerprint === fingerprint ? 'known' : 'requestIdReused'
    return { kind, reservation }
  }
  const buried = books.requestIds.isTombstoned(scope) || remembered?.kind === 'tombstone'
  return buried ? { kind: 'tombstoned' } : undefined
}

function placementRequest({ requester, wanted, pinned }: ReserveCommand): PlacementRequest {
  return pinned === undefined ? { requester, wanted } : { requester, wanted, pinned }
}

type Grant = Readonly<{ command: ReserveCommand; winner: string; currency: string }>

function grant({ books, now, index }: Step, { command, winner, currency }: Grant): Reservation {
  const { requester, door, wanted, priority, durationMs } = command
  const { requestId, fingerprint, aliases, pinned } = command
  const cost = books.providers.get(winner)?.cluster.advertisement.cost
  const perHour = cost?.currency === currency ? priceFor(wanted, cost) : undefined
  const price: HourlyPrice | undefined = perHour === undefined ? undefined : { perHour, currency }
  return {
    id: reservationId(books.identity.ledgerId, books.identity.lastNumber + 1),
    requester,
    door,
    ...(requestId !== undefined && { requestId }),
    ...(fingerprint !== undefined && { fingerprint }),
    wanted,
    ...(aliases && { aliases }),
    priority,
    ...(pinned !== undefined && { pinned }),
    legs: [{ clusterId: winner, resources: wanted }],
    phase: 'Reserved',
    createdAt: now,
    startsAt: now,
    ...(durationMs !== undefined && { expiresAt: now + durationMs }),
    ...(price && { price }),
    decidedIndex: index,
    changedIndex: index,
  }
}
