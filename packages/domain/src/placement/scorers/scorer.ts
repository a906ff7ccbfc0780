import type { Field } from '../board/verdicts.ts'

/** One merit of a cluster, from 0 to 100; 100 is best. */
export type Scorer = Readonly<{
  name: string
  /**
   * Fills scores[slot], also for clusters that are out, whose scores nobody looks at: to skip
   * them would take longer. False: it has nothing to say about this request, and the weights of
   * the others count for all.
   */
  score(field: Field, scores: Float64Array): boolean
  /** Scores a candidate anew whose holding has changed; absent: holdings do not matter to it. */
  rescore?(field: Field, scores: Float64Array, slot: number): void
  /** Whether others would score differently without this candidate; absent: never. */
  leansOn?(field: Field, scores: Float64Array, slot: number): boolean
}>
