export type { CallerLoad } from './caller-loads.ts'
export { createFairShare, type FairShare } from './fair-share.ts'
export {
  answerTokens,
  CARRIED_TOKENS,
  HANDSHAKE_TOKENS,
  LARGE_BODY_BYTES,
  requestTokens,
  TOKENS_PER_MS,
} from './price.ts'
export { createRateLimit, type Rate, type RateLimit } from './rate-limit.ts'
export { startStopwatch } from './stopwatch.ts'
