export type Band = 'excellent' | 'good' | 'moderate' | 'limited'

/** Contract §3: 90-100 excellent, 70-89 good, 50-69 moderate, below limited. */
export function bandOf(score: number): Band {
  if (score >= 90) return 'excellent'
  if (score >= 70) return 'good'
  return score >= 50 ? 'moderate' : 'limited'
}

export const formatScore = (score: number) => score.toFixed(2)
