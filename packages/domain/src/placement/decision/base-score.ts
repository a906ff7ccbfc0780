import { amountOf, type Resources } from '../../quantity/resources.ts'

export type Band = 'excellent' | 'good' | 'moderate' | 'limited'

/** How free a cluster is without a request: 50·availCPU/allocCPU + 50·availMem/allocMem. */
export function baseScoreOf(allocatable: Resources, available: Resources): number {
  const score = half('cpu') + half('memory')
  return Math.min(100, score)

  function half(name: string): number {
    const all = amountOf(allocatable, name)
    const free = amountOf(available, name)
    return all > 0n && free > 0n ? (50 * Number(free)) / Number(all) : 0
  }
}

/** Two decimals, as scores are shown. */
export function roundScore(score: number): number {
  return Math.round(score * 100) / 100
}

/** `66.67` */
export function formatScore(score: number): string {
  return roundScore(score).toFixed(2)
}

/** By the rounded score: 90.00 is excellent. */
export function bandOf(score: number): Band {
  const shown = roundScore(score)
  if (shown >= 90) return 'excellent'
  if (shown >= 70) return 'good'
  return shown >= 50 ? 'moderate' : 'limited'
}
