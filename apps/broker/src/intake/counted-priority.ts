import type { RequestLimits } from './read-request.ts'

/** A priority that a cluster gives itself counts as --max-priority at most. */
export function countedPriority(asked: number, { maxPriority }: RequestLimits): number {
  return maxPriority === undefined ? asked : Math.min(asked, maxPriority)
}
