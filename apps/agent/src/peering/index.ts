export { createPeering } from './create-peering.ts'
export { sliceName } from './native/objects/resource-slice.ts'
export { markOf, sliceUserOf } from './native/slice-user.ts'
export { createNoPeering } from './no-peering.ts'
export type {
  BorrowedReservation,
  BorrowingProgress,
  Peering,
  Progress,
  Step,
} from './peering.ts'
