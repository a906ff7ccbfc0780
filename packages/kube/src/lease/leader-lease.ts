import type { KubeClient } from '../client/kube-client.ts'
import type { Patience } from '../patience.ts'

export type LeaderLeaseOptions = Readonly<{
  client: Pick<KubeClient, 'get' | 'create' | 'replace' | 'serverTime'>
  namespace: string
  name: string
  /** Unique to this process: two with the same name would both lead. */
  identity: string
  /** Others take over when the lease was not renewed for this long. Whole seconds. */
  leaseMs: number
  /** We stop leading when we could not renew for this long. Less than `leaseMs`. */
  renewMs: number
  /** Between two attempts to take or renew. Less than `renewMs`. */
  retryMs: number
  /** Our address for those who ask a standby, in an annotation of the lease. */
  address?: string
  onLead(term: Term): void
  onLost(why: LostWhy): void
  /** Somebody else leads now; undefined: nobody. */
  onHolder?(holder: Holder | undefined): void
  onTrouble?(error: Error): void
  patience?: Patience
}>

/** Fires when the term ends, however it ends. */
export type Term = Readonly<{ transitions: number; signal: AbortSignal }>
export type LostWhy = 'not renewed' | 'taken' | 'released'
export type Holder = Readonly<{ identity: string; address?: string | undefined }>

export type LeaderLease = {
  /** True only while nobody else can hold the lease: asks the clock, not a timer. */
  isLeader(): boolean
  holder(): Holder | undefined
  /** Gives the lease back, so that the next leader need not wait. */
  stop(): Promise<void>
}
