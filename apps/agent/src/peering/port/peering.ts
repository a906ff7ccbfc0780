import type { Condition, Offload } from '@bourse/contract/kinds'
import type { Resources } from '@bourse/domain/quantity'

/** What this cluster lends by one reservation. */
export type HeldReservation = Readonly<{
  id: string
  requester: string
  resources: Resources
  /** In the broker's time; absent: until released. */
  expiresAt?: number | undefined
}>

/** What this cluster borrows by one reservation. */
export type BorrowedReservation = Readonly<{
  id: string
  provider: string
  /** Where the provider's API server is reached, if it says so. */
  endpoint?: string | undefined
  /** By canonical name, as Kubernetes quantities. */
  resources: Readonly<Record<string, string>>
  /** In the broker's time; absent: until released. */
  expiresAt?: number | undefined
  /** The namespaces whose pods may run there. */
  offload?: Offload | undefined
}>

/** A step on the way: PeeringRequested, TenantReady, …, with the reason where it is stuck. */
export type Step = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

export type Progress = Readonly<{
  steps: readonly Step[]
  /** All that this mode of peering does has been done. */
  isDone: boolean
  /** Repeat the call then, even without an event. */
  againAfterMs?: number | undefined
}>

/** `isUsable`: pods can run there, so the broker is told that the reservation is in use. */
export type BorrowingProgress = Progress & Readonly<{ isUsable: boolean }>

/**
 * A way to use borrowed capacity. Each verb does what it can, reports its progress and may be
 * repeated: after a crash it finds what exists and goes on.
 */
export type Peering = Readonly<{
  /** Whether `giveBack` or `takeBack` must be done before an instruction may be deleted. */
  leavesTraces: boolean
  /** Starts its watches. The steps say what is missing in this cluster. */
  start(): Promise<void>
  stop(): Promise<void>
  /** The requester's side. */
  borrow(reservation: BorrowedReservation, signal: AbortSignal): Promise<BorrowingProgress>
  giveBack(reservation: BorrowedReservation, signal: AbortSignal): Promise<Progress>
  /** The provider's side. */
  lend(reservation: HeldReservation, signal: AbortSignal): Promise<Progress>
  takeBack(reservation: HeldReservation, signal: AbortSignal): Promise<Progress>
  /** Called with a reservation's id when its peering has changed. */
  subscribe(listener: (reservationId: string) => void): () => void
  /** The id by which Liqo knows a cluster, as far as it is known here. */
  liqoIdOf(clusterId: string): string | undefined
  /** What the advertisement says of this cluster's Liqo; undefined: nothing. */
  facts(): Readonly<Record<string, unknown>> | undefined
  /** What the local Advertisement shows of it. */
  conditions(): readonly Step[]
  /** Called when facts or conditions have changed. */
  watchFacts(listener: () => void): void
}>

/** In the order in which they are reached. */
export type StepName =
  | 'PeeringRequested'
  | 'TenantReady'
  | 'IdentityReady'
  | 'NetworkReady'
  | 'SliceAccepted'
  | 'NodeReady'
  | 'NamespaceOffloaded'

export function reached(type: StepName, reason: string, message: string): Step {
  return { type, status: 'True', reason, message }
}

export function waiting(type: StepName, reason: string, message: string): Step {
  return { type, status: 'False', reason, message }
}
