export { type Borrowing, type BorrowingOptions, createBorrowing } from './borrowing.ts'
