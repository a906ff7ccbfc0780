import type { PeeringSession, PeeringStep, PeeringTrouble } from '../../peering/session.ts'
import type { Resources } from '../../quantity/resources.ts'
import { BURIED, type EndReason, type Reservation } from '../../reservation/reservation.ts'
import type { Advertisement } from '../../supply/cluster.ts'
import type { Actor } from '../state/actor.ts'

/** What a request id led to earlier, as the history on disk remembers it. */
export type RememberedRequest = Readonly<
  { kind: 'granted'; reservation: Reservation } | { kind: 'tombstone' }
>

/** Whether the history knows that the id was released. Memory may still have the reservation. */
export function isBuried(remembered: RememberedRequest | undefined): boolean {
  if (remembered?.kind !== 'granted') return remembered !== undefined
  return remembered.reservation.fingerprint === BURIED
}

/** Absent: a cluster gives the command for itself, as nearly always. */
type Given = Readonly<{ by?: Actor }>

export type ReserveCommand = Given &
  Readonly<{
    kind: 'reserve'
    door: string
    requester: string
    requestId?: string
    fingerprint?: string
    wanted: Resources
    aliases?: readonly string[]
    priority: number
    durationMs?: number
    pinned?: string
    /** All of it must fit on a single node of the provider. */
    oneNode?: true
    /** Taken over from an earlier broker: the pinned provider holds it already, fit or not. */
    isHeldAlready?: boolean
    /** Filled in by the writer for ids that memory no longer holds. */
    remembered?: RememberedRequest
  }>

export type Command = Given &
  (
    | Readonly<{
        kind: 'advertise'
        door: string
        clusterId: string
        advertisement: Advertisement
        /** The journal index up to which the agent has applied its instructions. */
        seenIndex?: number
      }>
    | ReserveCommand
    | Readonly<{ kind: 'activate'; id: string }>
    | Readonly<{
        kind: 'renew'
        id: string
        durationMs: number
        /** Of the request as it is now, if it was edited. */
        fingerprint?: string
      }>
    | Readonly<{ kind: 'release'; id: string; reason?: EndReason }>
    | Readonly<{
        kind: 'releaseRequest'
        door: string
        requester: string
        requestId: string
        remembered?: RememberedRequest
      }>
    | Readonly<{ kind: 'cordon'; clusterId: string }>
    | Readonly<{ kind: 'uncordon'; clusterId: string }>
    | Readonly<{ kind: 'withdraw'; clusterId: string; graceMs: number }>
    /** Removes a cluster that is gone for good. */
    | Readonly<{ kind: 'decommission'; clusterId: string }>
    /** A requester begins a session with a provider that it borrows from. */
    | (Readonly<{ kind: 'openPeering'; hello: string }> &
        Pick<PeeringSession, 'id' | 'requester' | 'provider' | 'networking'>)
    | Readonly<{ kind: 'postPeering'; id: string; from: string; step: PeeringStep; sealed: string }>
    | Readonly<{ kind: 'reportPeeringTrouble'; id: string; from: string; trouble: PeeringTrouble }>
    /** `from` is absent where an operator does it. */
    | Readonly<{ kind: 'closePeering'; id: string; from?: string }>
    /** A sign of life of a requester, which postpones reclaiming. Emits no event. */
    | Readonly<{ kind: 'hear'; requester: string }>
    /** Once a minute: journals when each cluster and requester was last heard. */
    | Readonly<{ kind: 'noteHeard' }>
    /** Runs the deadlines that are due and nothing else. */
    | Readonly<{ kind: 'tick' }>
  )

export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>
