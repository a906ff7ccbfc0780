export { budgetNoteText, readBudgetNote } from './budget-note.ts'
export type { CallerLoad } from './caller-loads.ts'
export { createFairShare, type FairShare, refusedSentence } from './fair-share.ts'
export { createJournalBudget, type JournalBudget } from './journal-budget.ts'
export {
  answerTokens,
  CARRIED_TOKENS,
  HANDSHAKE_TOKENS,
  LARGE_BODY_BYTES,
  requestTokens,
  TOKENS_PER_MS,
} from './price.ts'
export { createRateLimit, type Rate, type RateLimit } from './rate-limit.ts'
