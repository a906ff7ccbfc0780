import type { RememberedRequest, Reservation } from '@bourse/domain/ledger'
import type { DecisionSummary, PlacementRequest } from '@bourse/domain/placement'

/** The grounds of a decision: what was asked, and how the best clusters were scored. */
export type DecisionRecord = Readonly<{
  reservationId: string
  /** The batch that committed it; its clusters are judged as they were just before. */
  index: number
  at: number
  request: PlacementRequest
  decision: DecisionSummary
}>
/** Whose grounds are asked for, and where the decision was committed. */
export type Decided = Pick<Reservation, 'id' | 'decidedIndex'>
/** A request id that must not lead to a reservation any more, and since when. */
export type Tombstone = Readonly<{ door: string; requester: string; requestId: string; at: number }>

/** What can leave memory, in one durable write. Writing it again changes nothing. */
export type HistoryBatch = Readonly<{
  /** With this write, the history has everything of the batches up to this one. */
  through: number
  decisions: readonly DecisionRecord[]
  ended: readonly Reservation[]
  tombstones: readonly Tombstone[]
}>

export const NO_HISTORY: HistoryBatch = { through: 0, decisions: [], ended: [], tombstones: [] }

export type EndedQuery = Readonly<{
  /** Only reservations of which this cluster is requester or provider. */
  party?: string
  role?: 'requester' | 'provider'
  /** Fewer mean that there are no more. The caller bounds it: the largest page, and one more. */
  limit: number
  /** Newest first; continues after this one. */
  after?: Readonly<{ createdAt: number; id: string }>
}>

/** Ended reservations, old request ids and the grounds of decisions: on disk, not in memory. */
export type History = {
  record(batch: HistoryBatch): Promise<void>
  /** The batch up to which it has everything: a replay need not write that again. */
  recordedThrough(): Promise<number>
  /** It finds grounds in the journal's batches: the recorder leaves them out. */
  readonly findsDecisionsInJournal?: boolean
  decision(reservation: Decided): Promise<DecisionRecord | undefined>
  ended(id: string): Promise<Reservation | undefined>
  listEnded(query: EndedQuery): Promise<readonly Reservation[]>
  request(
    door: string,
    requester: string,
    requestId: string,
  ): Promise<RememberedRequest | undefined>
  /** How many request ids are remembered. */
  requestCount(): Promise<number>
  /** Digests of all remembered request ids, to fill the filter that spares most look-ups. */
  requestKeys(): AsyncIterable<readonly string[]>
  /** Forgets what ended before `endedBefore`, and request ids past their day or their bound. */
  prune(limits: PruneLimits): Promise<void>
}

export type PruneLimits = Readonly<{
  endedBefore: number
  requestsBefore: number
  /** Of one requester; the oldest go first. */
  requestsMax: number
}>
