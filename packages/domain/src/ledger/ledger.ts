import type { PeeringSession } from '../peering/session.ts'
import type { IsHidden, PlacementRequest, Ranking } from '../placement/index.ts'
import type { Rates } from '../quantity/rates.ts'
import type { Reservation } from '../reservation/reservation.ts'
import type { Cluster } from '../supply/cluster.ts'
import type { Standing } from '../supply/providers.ts'
import type { Command } from './commands/command.ts'
import type { Outcome } from './commands/outcome.ts'
import type { LedgerEvent } from './state/event.ts'
import type { ImagePart, LedgerImage } from './state/image.ts'
import type { SafeOnDisk } from './state/state.ts'

/** All reads of the ledger. */
export type LedgerView = {
  readonly ledgerId: string
  /** The latest `at` of any event. Never decreases. */
  readonly lastAt: number
  /** Live reservations: those that are Pending, Reserved or Active. */
  readonly liveCount: number
  cluster(clusterId: string): Cluster | undefined
  clusters(): Iterable<Cluster>
  standing(clusterId: string): Standing | undefined
  /** A live one, or one in `ended()`. */
  reservation(id: string): Reservation | undefined
  /** Live ones, in order of creation. */
  reservations(): Iterable<Reservation>
  /** Ended ones that the history on disk may not have yet, or that are still draining. */
  ended(): Iterable<Reservation>
  requestedBy(requester: string): Iterable<Reservation>
  /** Live ones that this provider holds. */
  heldOn(clusterId: string): Iterable<Reservation>
  /** Released ones that were in use and that this provider has not given back yet. */
  drainingOn(clusterId: string): Iterable<Reservation>
  peering(id: string): PeeringSession | undefined
  peerings(): Iterable<PeeringSession>
  /** Those of which this cluster is requester or provider. */
  peeringsOf(clusterId: string): Iterable<PeeringSession>
  /**
   * The ranking for a request, as it would be decided now. Clusters that are hidden from the reader
   * are ranked by coarse amounts.
   */
  evaluate(request: PlacementRequest, isHidden?: IsHidden): Ranking
}

/** Hides all clusters but the reader's own and those that show their numbers to all. */
export function hiddenFrom(reader: string, view: Pick<LedgerView, 'cluster'>): IsHidden {
  return (clusterId) =>
    clusterId !== reader && view.cluster(clusterId)?.advertisement.visibility !== 'full'
}

/** The moment a command is decided at: the broker's time and the batch it will be part of. */
export type Moment = Readonly<{
  now: number
  index: number
  /** Changes with each start of a broker. Part of reservation ids. */
  term?: string | undefined
}>

export type Ledger = LedgerView & {
  /** Runs what is due, decides and applies: the next command sees the effect. */
  execute(command: Command, moment: Moment): { outcome: Outcome; events: LedgerEvent[] }
  /** Replays an event that was decided earlier. */
  apply(event: LedgerEvent): void
  /**
   * Replaces the rates by which prices are converted. A setting, not a fact: an event keeps the
   * price that was agreed on and the rates of its decision, so that a replay needs none.
   */
  setRates(rates: Rates): void
  /** The earliest deadline. */
  nextDeadline(): number | undefined
  /** After an outage, restarts every requester's silence timeout. */
  excuseSilence(now: number): void
  /** The history on disk has these: memory drops them. */
  forget(safe: SafeOnDisk): void
  /** References to immutable values: cheap to take, safe to encode later. */
  capture(): LedgerImage
  /** Fills an empty ledger from the parts of a snapshot, in the order of `partsOf`. */
  load(part: ImagePart): void
}
