import { formatCount } from './amount.ts'

const REASONS: Readonly<Record<string, { short: string; sentence: string }>> = {
  Insufficient: { short: 'too small', sentence: 'does not have enough available' },
  NoNodeFits: { short: 'without such a node', sentence: 'has no node that could take it at once' },
  Stale: { short: 'stale', sentence: 'has been silent for too long' },
  Cordoned: { short: 'cordoned', sentence: 'is cordoned: it takes nothing new' },
  Withdrawn: { short: 'withdrawn', sentence: 'is withdrawn from the exchange' },
  IsRequester: { short: 'the requester', sentence: 'is the requester itself' },
}

export const refusalSentence = (code: string) => REASONS[code]?.sentence ?? code

/** Never listed: the requester itself, and clusters other than the target. */
const UNLISTED: ReadonlySet<string> = new Set(['IsRequester', 'NotTheTarget'])

/** `3 too small, 1 stale`, most frequent first. */
export function describeRefusals(refused: Readonly<Record<string, number>>): string {
  return Object.entries(refused)
    .filter(([code]) => !UNLISTED.has(code))
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${formatCount(count)} ${REASONS[code]?.short ?? code}`)
    .join(', ')
}

/** Why it was refused, in a few words. */
export function refusalGrounds(refused: Readonly<Record<string, number>>): string {
  const others = refused.NotTheTarget ? 'no other cluster is its target' : 'no cluster to ask'
  return describeRefusals(refused) || others
}
