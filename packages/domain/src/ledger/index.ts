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
export type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '../reservation/reservation.ts'
export { BURIED, targetOf } from '../reservation/reservation.ts'
export type { Accepting, Advertisement, Cluster, Cost } from '../supply/cluster.ts'
export { isNewPublication, sameFacts } from '../supply/cluster.ts'
export type { Standing } from '../supply/providers.ts'
export type { Command, RememberedRequest, ReserveCommand } from './commands/command.ts'
export type { Outcome } from './commands/outcome.ts'
export type { LedgerSettings } from './create-ledger.ts'
export { createLedger } from './create-ledger.ts'
export type { Ledger, LedgerView, Moment } from './ledger.ts'
export { hiddenFrom } from './ledger.ts'
export type { Actor } from './state/actor.ts'
export { actorText, spokenActor } from './state/actor.ts'
export type { LedgerEvent } from './state/event.ts'
export type { ImagePart, LedgerImage } from './state/image.ts'
export { partsOf } from './state/image.ts'
export type { SafeOnDisk } from './state/state.ts'
