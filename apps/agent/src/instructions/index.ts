export type { HeldReservation } from './held-reservation.ts'
export type { InstructionFollower } from './instruction-follower.ts'
export type { LedgerStanding } from './ledger-standing.ts'
