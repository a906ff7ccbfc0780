import type { PeeringSession } from '../peering/session.ts'
import type { IsHidden, PlacementRequest, Ranking } from '../placement/index.ts'
import type { Reservation } from '../reservation/reservation.ts'
import type { Cluster } from '../supply/cluster.ts'
import type { Standing } from '../supply/providers.ts'
import type { Command } from './commands/command.ts'
import type { Outcome } from './commands/outcome.ts'
import type { LedgerEvent } from './state/event.ts'
import type { ImagePart, LedgerImage } from './state/image.ts'
import type { SafeOnDisk } from './state/state.ts'

/** Everything a reader may ask. It cannot change anything. */
export type LedgerView = {
  readonly ledgerId: string
  /** The latest moment any event has told of. */
  readonly lastAt: number
  /** Live reservations: those that are Pending, Reserved or Active. */
  readonly liveCount: number
  cluster(clusterId: string): Cluster | undefined
  clusters(): Iterable<Cluster>
  standing(clusterId: string): Standing | undefined
  /** Live, or ended so recently that the history on disk may not have it yet. */
  reservation(id: string): Reservation | undefined
  /** Live ones, in order of creation. */
  reservations(): Iterable<Reservation>
  /** Ended ones that the history on disk may not have yet, or that are still draining. */
  ended(): Iterable<Reservation>
  requestedBy(requester: string): Iterable<Reservation>
  /** Live ones that this provider holds. */
  heldOn(clusterId: string): Iterable<Reservation>
  /** Those that released, were in use, and whose hold the provider has not given back yet. */
  drainingOn(clusterId: string): Iterable<Reservation>
  peering(id: string): PeeringSession | undefined
  peerings(): Iterable<PeeringSession>
  /** Those that this cluster has a part in, on either side. */
  peeringsOf(clusterId: string): Iterable<PeeringSession>
  /**
   * The ranking for a request, as it would be decided now. For a reader who may not see the numbers
   * of some clusters: as it would be decided on coarse amounts of theirs.
   */
  evaluate(request: PlacementRequest, isHidden?: IsHidden): Ranking
}

/** Whose numbers are not for a cluster: all but its own, and those of clusters that show theirs. */
export function hiddenFrom(reader: string, view: Pick<LedgerView, 'cluster'>): IsHidden {
  return (clusterId) =>
    clusterId !== reader && view.cluster(clusterId)?.advertisement.visibility !== 'full'
}

/** The moment a command is decided at: the broker's time and the batch it will be part of. */
export type Moment = Readonly<{
  now: number
  index: number
  /** Of the broker that decides: another one with each start. It becomes part of ids. */
  term?: string | undefined
}>

export type Ledger = LedgerView & {
  /** Runs what is due, decides, and applies: the next command sees this one's effect. */
  execute(command: Command, moment: Moment): { outcome: Outcome; events: LedgerEvent[] }
  /** Replay: applies what was decided earlier. */
  apply(event: LedgerEvent): void
  /** When something falls due next, if anything does. */
  nextDeadline(): number | undefined
  /** No broker has listened for a while, until now: nobody is taken for gone because of that. */
  excuseSilence(now: number): void
  /** The history on disk has these now; memory may let go of them. */
  forget(safe: SafeOnDisk): void
  /** References to the whole state as of now; cheap, and safe to encode later at leisure. */
  capture(): LedgerImage
  /** Fills an empty ledger from a snapshot's parts. */
  load(part: ImagePart): void
}
