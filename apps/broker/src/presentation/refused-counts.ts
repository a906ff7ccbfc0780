import type { Ranking, RefusalCounts } from '@bourse/domain/placement'

/** How many clusters were refused, by reason; those that the ranking left out are in it too. */
export function refusedCounts({ rows, leftOut }: Ranking): RefusalCounts {
  const counts: { -readonly [Code in keyof RefusalCounts]: RefusalCounts[Code] } = {
    ...leftOut?.refused,
  }
  for (const { refusal } of rows) if (refusal) counts[refusal] = (counts[refusal] ?? 0) + 1
  return counts
}
