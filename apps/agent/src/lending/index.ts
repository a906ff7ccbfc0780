export { createBorrowersOf } from './borrowers-of.ts'
export { createInstructionFollower } from './lending.ts'
