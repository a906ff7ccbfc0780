import { formatCount } from './amount.ts'

const REASONS: Readonly<Record<string, { short: string; sentence: string }>> = {
  Insufficient: { short: 'too small', sentence: 'has not enough available' },
  Stale: { short: 'stale', sentence: 'was not heard of for too long' },
  Cordoned: { short: 'cordoned', sentence: 'is cordoned: it takes nothing new' },
  Withdrawn: { short: 'withdrawn', sentence: 'is withdrawn from the exchange' },
  IsRequester: { short: 'the requester', sentence: 'is the requester itself' },
  NotTheTarget: { short: 'not the target', sentence: 'is not the cluster that was asked for' },
}

export const refusalSentence = (code: string) => REASONS[code]?.sentence ?? code

/** `3 too small, 1 stale`, most frequent first; the requester itself is never news. */
export function describeRefusals(refused: Readonly<Record<string, number>>): string {
  return Object.entries(refused)
    .filter(([code]) => code !== 'IsRequester')
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${formatCount(count)} ${REASONS[code]?.short ?? code}`)
    .join(', ')
}
