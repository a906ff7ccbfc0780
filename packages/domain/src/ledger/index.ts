export type {
  PeeringEnd,
  PeeringRole,
  PeeringSession,
  PeeringState,
  PeeringStep,
  PeeringTrouble,
} from '../peering/session.ts'
export { isLive } from '../reservation/phases.ts'
export type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '../reservation/reservation.ts'
export { BURIED } from '../reservation/reservation.ts'
export type { Accepting, Advertisement, Cluster, Cost } from '../supply/cluster.ts'
export { isNewPublication } from './commands/advertise.ts'
export type { Command, RememberedRequest, ReserveCommand } from './commands/command.ts'
export type { Outcome } from './commands/outcome.ts'
export type { LedgerSettings } from './create-ledger.ts'
export { createLedger } from './create-ledger.ts'
export { hiddenFrom } from './hidden-from.ts'
export type { Bygone, Ledger, LedgerView, Moment, Standing } from './ledger.ts'
export type { LedgerEvent } from './state/event.ts'
export type { ImagePart, LedgerImage, TombstoneRecord } from './state/image.ts'
export { partsOf } from './state/image.ts'
