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

/** What every answer reflects. All absent with a broker of the Go original's make. */
export type Stamp = Readonly<{
  ledgerId?: string
  index?: number
  /** Of whoever leads: another one after each start and each change of leader. */
  term?: string
  /** That the ledger had come at least as far as `index`; a broker of ours knows it again. */
  proof?: string
  /** Add it to the local clock to get the broker's; from its Date header, so to the second. */
  brokerTimeOffsetMs?: number
}>

export type Published = Stamp &
  Readonly<{ advertisement: Advertisement; instructions: readonly Reservation[] }>

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

/** What became of a request; `requestId` finds it again, whoever made the id up. */
export type ReservationOutcome = Readonly<{ requestId: string }> &
  (
    | (Stamp & Readonly<{ kind: 'reserved'; reservation: Reservation; isNew: boolean }>)
    | (Stamp & Readonly<{ kind: 'waiting'; reservation: Reservation }>)
    /** Nothing fits; the rows say why, as far as the broker tells. */
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

/** `after`: answer when it differs from what it was at this index; at the latest after `waitMs`. */
export type Waiting = Readonly<{ waitMs?: number; after?: number; signal?: AbortSignal }>

export type WatchOptions = Readonly<{
  signal: AbortSignal
  /** How long one question may stay open. */
  waitMs?: number
  /** Between two questions where long polls are unknown. */
  pollMs?: number
  /** Resumes: the first answer comes when something differs from this index. */
  after?: number
  /** While it tries again by itself. */
  onTrouble?(error: Error, pauseMs: number): void
}>

/** How an agent speaks with a broker. Every transport passes `broker-communicator.contract.ts`. */
export type BrokerCommunicator = {
  publishAdvertisement(advertisement: AdvertisementInput): Promise<Published>
  /** Safe to repeat: it always travels with a request id. */
  requestReservation(request: ReservationRequest): Promise<ReservationOutcome>
  fetchInstructions(waiting?: Waiting): Promise<InstructionsAnswer>
  /**
   * The whole set at once, then whenever it differs and with a newer index now and then, until
   * aborted. Where long polls are unknown it asks every few seconds.
   */
  watchInstructions(options: WatchOptions): AsyncIterable<InstructionsAnswer>
  /** What the caller has requested, the same way. */
  watchReservations(options: WatchOptions): AsyncIterable<ReservationsAnswer>
  /** As it stands; also one that has ended, as long as the broker remembers it. */
  getReservation(id: string): Promise<Reservation>
  release(which: Which): Promise<Released>
  activate(id: string): Promise<Reservation>
  renew(id: string, duration: string): Promise<Reservation>
  ping(): Promise<Stamp>
  /**
   * What an earlier life saw of a ledger; it goes along with every call, as what is seen from now
   * on does. Absent: nothing was ever seen.
   */
  remember?(seen: Stamp): void
  close(): Promise<void>
} & BrokerPeerings

/** How two agents speak with each other by way of the broker, which cannot read what is sealed. */
export type BrokerPeerings = {
  /**
   * The requester begins. The same again changes nothing; another hello begins this session anew;
   * another id replaces the pair's session. Refused without a live reservation of the pair.
   */
  openPeering(opened: PeeringOpened): Promise<PeeringSession>
  /** The same step again replaces what was posted. */
  postPeering(id: string, posting: PeeringPosting): Promise<PeeringSession>
  /** What this side is stuck on; its next message clears it. */
  reportPeeringTrouble(id: string, trouble: PeeringTrouble): Promise<PeeringSession>
  /** Nothing is left of it; what is gone already is fine. */
  closePeering(id: string): Promise<void>
  /** The sessions that the caller is a party of, told as instructions are. */
  watchPeerings(options: WatchOptions): AsyncIterable<PeeringsAnswer>
}
