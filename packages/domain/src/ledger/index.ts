/*
 * The exchange without disk, clock or network: commands in, outcomes and events out.
 *
 *   create-ledger.ts  begin here: what is due, then the command, one after the other
 *   commands/         a file for each decision; each reads the state and emits events
 *   state/            what the events make of it: the only code that changes the memory
 *   ../reservation, ../supply, ../peering, ../time: what that memory is made of
 *
 * A replay of the events rebuilds the state exactly. `scenarios/*.txt` tell it by example.
 */
export type {
  PeeringEnd,
  PeeringRole,
  PeeringSession,
  PeeringState,
  PeeringStep,
  PeeringTrouble,
} from '../peering/session.ts'
export { holdsNow, isLive } from '../reservation/phases.ts'
export type { TombstoneRecord } from '../reservation/request-ids.ts'
export * from '../reservation/reservation.ts'
export * from '../supply/cluster.ts'
export type { Standing } from '../supply/providers.ts'
export type { Command, RememberedRequest, ReserveCommand } from './commands/command.ts'
export type { Outcome } from './commands/outcome.ts'
export * from './create-ledger.ts'
export * from './ledger.ts'
export { type Actor, actorText, spokenActor } from './state/actor.ts'
export type { LedgerEvent } from './state/event.ts'
export * from './state/image.ts'
export type { SafeOnDisk } from './state/state.ts'
