export type { CallerLoad } from './caller-loads.ts'
export { createFairShare, type FairShare, refusedSentence } from './fair-share.ts'
export {
  budgetNoteText,
  createJournalBudget,
  type JournalBudget,
  readBudgetNote,
} from './journal-budget.ts'
export {
  answerTokens,
  CARRIED_TOKENS,
  HANDSHAKE_TOKENS,
  LARGE_BODY_BYTES,
  requestTokens,
  TOKENS_PER_MS,
} from './price.ts'
export { createRateLimit, type Rate, type RateLimit } from './rate-limit.ts'
