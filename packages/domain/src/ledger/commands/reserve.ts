import type { Board, Placement, PlacementRequest } from '../../placement/index.ts'
import type { Resources } from '../../quantity/resources.ts'
import { BURIED, type Reservation } from '../../reservation/reservation.ts'
import { reservationId } from '../../reservation/reservation-id.ts'
import type { Cluster } from '../../supply/cluster.ts'
import type { Agreement } from './agreement.ts'
import type { ReserveCommand } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

type Placing = Readonly<{
  placement: Placement
  board: Board
  agreementOf(cluster: Cluster, wanted: Resources): Agreement
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
  const provider = step.books.providers.get(winner)
  if (!provider) throw new Error(`${winner} was chosen, and is no provider.`)
  const agreement = placing.agreementOf(provider.cluster, wanted)
  const reservation = grant(step, { command, wanted, agreement })
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
  if (books.requestIds.isTombstoned(scope) || remembered?.kind === 'tombstone')
    return { kind: 'tombstoned' }
  const known = books.requestIds.reservationOf(scope)
  const reservation =
    known === undefined
      ? remembered?.kind === 'granted' && remembered.reservation
      : books.reservations.at(known)
  if (!reservation) return undefined
  if (reservation.fingerprint === BURIED) return { kind: 'tombstoned' }
  const kind = reservation.fingerprint === fingerprint ? 'known' : 'requestIdReused'
  return { kind, reservation }
}

function placementRequest({ requester, wanted, pinned }: ReserveCommand): PlacementRequest {
  return pinned === undefined ? { requester, wanted } : { requester, wanted, pinned }
}

type Grant = Readonly<{
  command: ReserveCommand
  /** As the command says; many live reservations want the same and share one vector. */
  wanted: Resources
  agreement: Agreement
}>

function grant({ books, now, index, term }: Step, grounds: Grant): Reservation {
  const { command, wanted, agreement } = grounds
  const { requester, door, priority, durationMs } = command
  const { requestId, fingerprint, aliases, pinned } = command
  const granted: Granted = {
    id: reservationId(books.identity.ledgerId, books.identity.lastNumber + 1, term),
    requester,
    door,
    requestId,
    fingerprint,
    wanted,
    priority,
    legs: agreement.legs,
    phase: 'Reserved',
    createdAt: now,
    startsAt: now,
    expiresAt: durationMs === undefined ? undefined : now + durationMs,
    price: agreement.price,
    decidedIndex: index,
    changedIndex: index,
  }
  // Few have these; what nearly all have stands above, where it takes no room beside the others.
  if (aliases) granted.aliases = aliases
  if (pinned !== undefined) granted.pinned = pinned
  return granted
}

type Granted = { -readonly [Field in keyof Reservation]: Reservation[Field] }
