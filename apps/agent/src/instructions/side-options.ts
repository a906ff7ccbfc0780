import type { Clock, KubeClient } from '@bourse/kube'
import type { ObjectEvents } from '../kubernetes/events.ts'
import type { Peering } from '../peering/port/peering.ts'
import type { Log } from '../runtime/log.ts'
import type { ConfirmedLedger } from './ledger-standing.ts'

/** What both sides of a cluster, the one that lends and the one that borrows, work with. */
export type SideOptions = Readonly<{
  client: KubeClient
  /** Where its instructions are. */
  namespace: string
  peering: Peering
  confirmed: ConfirmedLedger
  objectEvents: ObjectEvents
  log: Log
  /** The broker cannot be followed, and is asked again. */
  watchFailed?(watched: 'instructions' | 'reservations'): void
  /** Between two questions to a broker that knows no long polls. */
  pollMs?: number
  clock?: Clock
}>
