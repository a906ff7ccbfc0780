import type { Clock, KubeClient } from '@bourse/kube'
import type { ObjectEvents } from '../kubernetes/events.ts'
import type { Peering } from '../peering/port/peering.ts'
import type { Log } from '../runtime/log.ts'
import type { ConfirmedLedger } from './ledger-standing.ts'

/** What the lending side and the borrowing side of an agent both use. */
export type SideOptions = Readonly<{
  client: KubeClient
  /** Where its instructions are. */
  namespace: string
  peering: Peering
  confirmed: ConfirmedLedger
  objectEvents: ObjectEvents
  log: Log
  /** A watch of the broker failed, and is retried. */
  watchFailed?(watched: 'instructions' | 'reservations'): void
  /** How often to poll a broker without long polls. */
  pollMs?: number
  clock?: Clock
}>
