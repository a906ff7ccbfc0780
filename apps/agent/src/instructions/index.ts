export { type Chapter, createNarrator, type Narrator } from '../kubernetes/events.ts'
export {
  createInstructionFollower,
  type FollowerOptions,
  type InstructionFollower,
} from '../lending/lending.ts'
export type { HeldReservation } from '../peering/port/held-reservation.ts'
export { type ConfirmedLedger, createConfirmedLedger } from './confirmed-ledger.ts'
export {
  foremostStanding,
  type LedgerStanding,
  ledgerCondition,
} from './ledger-standing.ts'
