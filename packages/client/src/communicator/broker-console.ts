import type {
  Advertisement,
  AuditReport,
  Evaluation,
  Explanation,
  PeeringSession,
  Reservation,
  ReservationRequest,
  StreamEvent,
} from '@bourse/contract'
import type { Stamp, WatchOptions } from './broker-communicator.ts'

export type Page<T> = Readonly<{ items: readonly T[]; nextCursor?: string }>

export type PageQuery = Readonly<{ limit?: number; cursor?: string }>

export type PeeringQuery = PageQuery &
  Readonly<{ role?: 'requester' | 'provider'; requesterID?: string; providerID?: string }>

export type ReservationQuery = PeeringQuery & Readonly<{ phases?: readonly string[] }>

export type ReservationAnswer = Stamp & Readonly<{ reservation: Reservation }>

/** Calls for people and their tools, beyond what an agent needs. */
export type BrokerConsole = {
  listClusters(query?: PageQuery): Promise<Page<Advertisement>>
  getCluster(clusterId: string): Promise<Advertisement>
  cordon(clusterId: string): Promise<Advertisement>
  uncordon(clusterId: string): Promise<Advertisement>
  withdraw(clusterId: string, grace?: string): Promise<Advertisement>
  /** Removes the cluster for good; returns its last state. */
  decommission(clusterId: string): Promise<Advertisement>
  listReservations(query?: ReservationQuery): Promise<Page<Reservation>>
  getReservation(id: string): Promise<Reservation>
  /** At once, then at each change, until aborted. */
  watchReservation(id: string, options: WatchOptions): AsyncIterable<ReservationAnswer>
  listPeerings(query?: PeeringQuery): Promise<Page<PeeringSession>>
  getPeering(id: string): Promise<PeeringSession>
  explain(id: string): Promise<Explanation>
  evaluate(request: ReservationRequest): Promise<Evaluation>
  audit(): Promise<AuditReport>
  /** Changes as they are committed; resumes by itself after a broken connection. */
  events(options: EventOptions): AsyncIterable<StreamEvent>
}

export type EventOptions = Omit<WatchOptions, 'waitMs'> &
  Readonly<{
    /** Begins with so many events of the past, unless `after` is given. */
    last?: number
  }>
