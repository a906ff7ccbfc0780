export { createPeering } from './create-peering.ts'
export { createNoPeering } from './no-peering.ts'
export type {
  BorrowedReservation,
  BorrowingProgress,
  Peering,
  Progress,
  Step,
} from './peering.ts'
