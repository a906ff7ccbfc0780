import {
  RELEASED_EARLY_ANNOTATION,
  REQUESTER_ACTIVE,
  REQUESTER_RELEASED,
  RESERVATION_FINALIZER,
  RESERVATION_MIRROR_PREFIX,
  type ReservationSpec,
  type ReservationStatus,
} from '@bourse/contract/kinds'
import { conditionOf, isTrue, type KubeObject } from '@bourse/kube'
import { factsOf, type ObjectFacts } from './object-facts.ts'
import { digestOf } from './same-status.ts'

export type ReservationKubeObject = KubeObject<ReservationSpec, ReservationStatus>

/** A Reservation that a user made: a command, and where its answer is shown. */
export type AskedReservation = ObjectFacts &
  Readonly<{
    kind: 'asked'
    isProtected: boolean
    spec: ReservationSpec
    /** What the broker wrote there, as far as it is the broker's. */
    shown: ReservationStatus
    /** The two conditions that are inputs; an annotation says the second from the beginning. */
    wantedPhase: 'none' | 'active' | 'released'
  }>

/** A Reservation that shows what came by REST: only enough to see whether it is up to date. */
export type ReservationMirror = ObjectFacts &
  Readonly<{
    kind: 'mirror'
    specDigest: string
    statusDigest: string
    phase: ReservationStatus['phase']
    ledgerId: string | undefined
    ledgerIndex: number
  }>

export type ReservationItem = AskedReservation | ReservationMirror

/** What is kept of a Reservation. The API server has checked it against the schema. */
export function decodeReservation(object: ReservationKubeObject): ReservationItem | undefined {
  const { spec, status = {} } = object
  if (!spec) return undefined
  const facts = factsOf(object, RESERVATION_MIRROR_PREFIX)
  const shown = brokersPart(status)
  if (facts.isMirror) {
    const { phase, ledgerID: ledgerId, ledgerIndex = 0 } = status
    const digests = { specDigest: digestOf(spec), statusDigest: digestOf(shown) }
    return { ...facts, kind: 'mirror', ...digests, phase, ledgerId, ledgerIndex }
  }
  const isProtected = facts.finalizers.includes(RESERVATION_FINALIZER)
  return { ...facts, kind: 'asked', isProtected, spec, shown, wantedPhase: wantedPhaseOf(object) }
}

/**
 * Of a status, what the broker says: everything but the conditions of others. And but the proof,
 * which is another one at each commit and no reason to write.
 */
export function brokersPart({
  conditions,
  ledgerProof: _,
  ...status
}: ReservationStatus): ReservationStatus {
  const said = RESERVATION_CONDITIONS.map((type) => conditionOf(conditions, type))
  const ours = said.filter((one) => one !== undefined)
  return ours.length > 0 ? { ...status, conditions: ours } : status
}

/** In a fixed order: the API server's order would make an unchanged status look new. */
const RESERVATION_CONDITIONS = ['Ready', 'Stalled']

function wantedPhaseOf({
  metadata,
  status,
}: ReservationKubeObject): AskedReservation['wantedPhase'] {
  const { conditions } = status ?? {}
  const wasEarly = metadata.annotations?.[RELEASED_EARLY_ANNOTATION] !== undefined
  if (wasEarly || isTrue(conditions, REQUESTER_RELEASED)) return 'released'
  return isTrue(conditions, REQUESTER_ACTIVE) ? 'active' : 'none'
}

type Past = 'none' | 'over' | 'granted here' | 'granted elsewhere'

/**
 * What its status says of it. Never the truth about what is held, which is the ledger's; but an
 * object that was answered once must not be taken for a new request when the ledger forgets it.
 */
export function pastOf({ shown }: AskedReservation, ledgerId: string): Past {
  switch (shown.phase) {
    case undefined:
    case 'Pending':
      return 'none'
    case 'Failed':
    case 'Released':
      return 'over'
    case 'Reserved':
    case 'Active':
      return shown.ledgerID === ledgerId ? 'granted here' : 'granted elsewhere'
  }
}
