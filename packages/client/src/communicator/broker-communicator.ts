import type {
  Advertisement,
  AdvertisementInput,
  PeeringNetworking,
  PeeringPosting,
  PeeringSession,
  PeeringTrouble,
  RankingRow,
  Reservation,
  ReservationRequest,
} from '@bourse/contract'

/** The ledger state that an answer reflects. The Go original sends none of these. */
export type Stamp = Readonly<{
  ledgerId?: string
  index?: number
  /** The leader's term: changes with each start and each change of leader. */
  term?: string
  /** Proves that the ledger had reached `index`; the broker can verify it later. */
  proof?: string
  /** Broker time minus local time; from the Date header, so precise to a second. */
  brokerTimeOffsetMs?: number
}>

export type Published = Stamp &
  Readonly<{
    advertisement: Advertisement
    instructions: readonly Reservation[]
    /** Fields that the broker does not know: it is older than this agent. */
    ignored?: readonly string[]
  }>

export type InstructionsAnswer = Stamp & Readonly<{ instructions: readonly Reservation[] }>

export type ReservationsAnswer = Stamp & Readonly<{ reservations: readonly Reservation[] }>

export type PeeringsAnswer = Stamp & Readonly<{ peerings: readonly PeeringSession[] }>

/** The id is `ps-` and 26 random characters of base32, in lower case. */
export type PeeringOpened = Readonly<{
  id: string
  providerID: string
  networking: PeeringNetworking
  hello: string
}>

/** The outcome of a request; `requestId` finds it again, also if the client generated the id. */
export type ReservationOutcome = Readonly<{ requestId: string }> &
  (
    | (Stamp & Readonly<{ kind: 'reserved'; reservation: Reservation; isNew: boolean }>)
    | (Stamp & Readonly<{ kind: 'waiting'; reservation: Reservation }>)
    /** Nothing fits; the rows say why, if the broker sends them. */
    | Readonly<{
        kind: 'refused'
        message: string
        refused: Readonly<Record<string, number>>
        rows: readonly RankingRow[]
      }>
    /** It was released by its request id, perhaps before it arrived. */
    | Readonly<{ kind: 'tombstoned'; message: string }>
  )

export type Released =
  | (Stamp & Readonly<{ kind: 'released'; reservation: Reservation }>)
  /** By request id only: nothing was held, and a late request with that id is refused. */
  | (Stamp & Readonly<{ kind: 'tombstoned' }>)

export type Which = Readonly<{ id: string }> | Readonly<{ requestId: string; requesterID?: string }>

/** `after`: answer when the set differs from its state at this index, at the latest after `waitMs`. */
export type Waiting = Readonly<{
  waitMs?: number
  after?: number
  signal?: AbortSignal | undefined
}>

export type WatchOptions = Readonly<{
  signal: AbortSignal
  /** How long one long poll may stay open. */
  waitMs?: number
  /** Between two polls of a broker without long polls. */
  pollMs?: number
  /** Resumes: the first answer comes when something differs from this index. */
  after?: number
  /** A call failed; it is retried after the pause. */
  onTrouble?(error: Error, pauseMs: number): void
}>

/** How an agent talks to a broker. Every transport passes `broker-communicator.contract.ts`. */
export type BrokerCommunicator = {
  publishAdvertisement(advertisement: AdvertisementInput): Promise<Published>
  /** Safe to repeat: it always travels with a request id. */
  requestReservation(request: ReservationRequest): Promise<ReservationOutcome>
  fetchInstructions(waiting?: Waiting): Promise<InstructionsAnswer>
  /**
   * Yields the whole set at once, then on each change, and now and then with a newer index, until
   * aborted. Polls a broker without long polls every few seconds.
   */
  watchInstructions(options: WatchOptions): AsyncIterable<InstructionsAnswer>
  /** The caller's own requests, in the same way. */
  watchReservations(options: WatchOptions): AsyncIterable<ReservationsAnswer>
  /** The current state; also of an ended reservation while the broker remembers it. */
  getReservation(id: string): Promise<Reservation>
  release(which: Which): Promise<Released>
  activate(id: string): Promise<Reservation>
  renew(id: string, duration: string): Promise<Reservation>
  ping(): Promise<Stamp>
  /**
   * Restores the newest proof that an earlier run has seen; every call sends the newest proof.
   * Absent for a transport that sends none.
   */
  remember?(seen: Stamp): void
  close(): Promise<void>
} & BrokerPeerings

/** How two agents talk to each other through the broker, which cannot read sealed messages. */
export type BrokerPeerings = {
  /**
   * Called by the requester. Repeating it changes nothing; another hello restarts the session;
   * another id replaces the pair's session. Refused without a live reservation of the pair.
   */
  openPeering(opened: PeeringOpened): Promise<PeeringSession>
  /** Posting the same step again replaces the message. */
  postPeering(id: string, posting: PeeringPosting): Promise<PeeringSession>
  /** Reports why this side cannot go on; its next message clears it. */
  reportPeeringTrouble(id: string, trouble: PeeringTrouble): Promise<PeeringSession>
  /** Deletes the session; succeeds also if it is already gone. */
  closePeering(id: string): Promise<void>
  /** The caller's sessions, in the same way as instructions. */
  watchPeerings(options: WatchOptions): AsyncIterable<PeeringsAnswer>
}
