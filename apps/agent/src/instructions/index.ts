export { type ConfirmedLedger, createConfirmedLedger } from './confirmed-ledger.ts'
export type { HeldReservation } from './held-reservation.ts'
export {
  createInstructionFollower,
  type FollowerOptions,
  type InstructionFollower,
} from './instruction-follower.ts'
export {
  foremostStanding,
  type LedgerStanding,
  ledgerCondition,
} from './ledger-standing.ts'
export { type Chapter, createNarrator, type Narrator } from './narrator.ts'
