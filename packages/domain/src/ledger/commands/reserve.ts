import {
  type Board,
  type Decision,
  type Placement,
  type PlacementRequest,
  shortOnNode,
} from '../../placement/index.ts'
import { coarseResources } from '../../quantity/coarse-amount.ts'
import type { Resources } from '../../quantity/resources.ts'
import { BURIED, type Reservation } from '../../reservation/reservation.ts'
import { reservationId } from '../../reservation/reservation-id.ts'
import type { Agreement, Lending } from './agreement.ts'
import { isBuried, type ReserveCommand } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

type Placing = Readonly<{
  placement: Placement
  board: Board
  agreementOf(lending: readonly Lending[]): Agreement
  /** The rates that the board's prices were converted by; empty: none. */
  rates(): string
}>

/** A refusal shows some of the clusters; an evaluation shows all. */
const REFUSAL_ROWS_MAX = 20

/**
 * A request's steps in order. Steps that do not exist yet keep their number: 2 is it allowed ·
 * 4 preempt others · 5 wait.
 */
export function reserve(step: Step, command: ReserveCommand, placing: Placing): Outcome {
  // 1. A request id that was seen before gets its earlier answer.
  const earlier = earlierAnswer(step, command)
  if (earlier) return earlier

  // 3. Choose the providers.
  const decision = place(step, command, placing)
  if (decision.legs.length === 0) return refuse(command, placing)

  // 6. Emit the reservation: its capacity is locked at once.
  const lending = lendingOf(step, decision)
  const agreement = placing.agreementOf(lending)
  const onNode = largestNodeOf(lending)
  const reservation = grant(step, { command, wanted: decision.wanted, agreement, onNode })
  const rates = placing.rates()
  const summary = rates === '' ? decision.summary : { ...decision.summary, rates }
  step.emit({ kind: 'reserved', at: step.now, reservation, decision: summary })
  return { kind: 'reserved', reservation }
}

/** Makes retries safe: the same request id finds the same reservation. */
function earlierAnswer({ state }: Step, command: ReserveCommand): Outcome | undefined {
  const { door, requester, requestId, fingerprint, remembered } = command
  if (requestId === undefined) return undefined
  const scope = { door, requester, requestId }
  if (state.requestIds.isTombstoned(scope) || isBuried(remembered)) return { kind: 'tombstoned' }
  const known = state.requestIds.reservationOf(scope)
  const reservation =
    known === undefined
      ? remembered?.kind === 'granted' && remembered.reservation
      : state.reservations.at(known)
  if (!reservation) return undefined
  if (reservation.fingerprint === BURIED) return { kind: 'tombstoned' }
  const kind = reservation.fingerprint === fingerprint ? 'known' : 'requestIdReused'
  return { kind, reservation }
}

function place({ state }: Step, command: ReserveCommand, { placement, board }: Placing): Decision {
  state.providers.refreshBoard()
  const decision = placement.decide(board, placementRequest(command))
  const { isHeldAlready, pinned } = command
  if (!isHeldAlready) return decision
  // The pinned provider holds it already, whether it fits or not.
  const isKnown = pinned !== undefined && state.providers.get(pinned)
  return { ...decision, legs: isKnown ? [{ clusterId: pinned, resources: decision.wanted }] : [] }
}

function refuse(command: ReserveCommand, { placement, board }: Placing): Outcome {
  const limit = { rowsMax: REFUSAL_ROWS_MAX }
  return { kind: 'refused', ranking: placement.rank(board, placementRequest(command), limit) }
}

function lendingOf({ state }: Step, { legs }: Decision): readonly Lending[] {
  return legs.map(({ clusterId, resources }) => {
    const provider = state.providers.get(clusterId)
    if (!provider) throw new Error(`${clusterId} was chosen, and is not a provider.`)
    return { cluster: provider.cluster, resources }
  })
}

function placementRequest(command: ReserveCommand): PlacementRequest {
  const { requester, wanted, pinned, oneNode } = command
  if (oneNode) return { requester, wanted, oneNode, ...(pinned !== undefined && { pinned }) }
  return pinned === undefined ? { requester, wanted } : { requester, wanted, pinned }
}

/** What a requester is to know: sums decided, and no single node has that much. */
function largestNodeOf(lending: readonly Lending[]): OnNode {
  for (const { cluster, resources } of lending) {
    const { largestFit, visibility } = cluster.advertisement
    const short = shortOnNode(resources, largestFit)
    if (!short) continue
    if (visibility === 'full') return { largestNode: short }
    return { largestNode: coarseResources(short), isNodeRounded: true }
  }
  return {}
}

type OnNode = Pick<Reservation, 'largestNode' | 'isNodeRounded'>

type Grant = Readonly<{
  command: ReserveCommand
  /** Equal to the command's; reservations with equal amounts share this value. */
  wanted: Resources
  agreement: Agreement
  onNode: OnNode
}>

function grant({ state, now, index, term }: Step, grounds: Grant): Reservation {
  const { command, wanted, agreement, onNode } = grounds
  const { largestNode, isNodeRounded } = onNode
  const { requester, door, priority, durationMs } = command
  const { requestId, fingerprint, aliases, pinned, oneNode } = command
  const granted: Granted = {
    id: reservationId(state.identity.ledgerId, state.identity.lastNumber + 1, term),
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
  // Set only where given: few reservations have these, and the others save the memory.
  if (aliases) granted.aliases = aliases
  if (pinned !== undefined) granted.pinned = pinned
  if (oneNode) granted.oneNode = oneNode
  if (largestNode) granted.largestNode = largestNode
  if (isNodeRounded) granted.isNodeRounded = isNodeRounded
  return granted
}

type Granted = { -readonly [Field in keyof Reservation]: Reservation[Field] }
