export { isNewPublication } from './advertise.ts'
export type { Accepting, Advertisement, Cluster, Cost } from './cluster.ts'
export type { Command, RememberedRequest, ReserveCommand } from './command.ts'
export type { LedgerSettings } from './create-ledger.ts'
export { createLedger } from './create-ledger.ts'
export type { LedgerEvent } from './event.ts'
export { hiddenFrom } from './hidden-from.ts'
export type { ImagePart, LedgerImage, TombstoneRecord } from './image.ts'
export { partsOf } from './image.ts'
export type { Bygone, Ledger, LedgerView, Moment, Standing } from './ledger.ts'
export type { Outcome } from './outcome.ts'
export type {
  PeeringEnd,
  PeeringRole,
  PeeringSession,
  PeeringState,
  PeeringStep,
  PeeringTrouble,
} from './peering-session.ts'
export { isLive } from './phases.ts'
export type { EndReason, HourlyPrice, Leg, Phase, Reservation } from './reservation.ts'
export { BURIED } from './reservation.ts'
export { sameFacts } from './same-facts.ts'
