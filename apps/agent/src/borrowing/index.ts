export { createBorrowing } from './borrowing.ts'
