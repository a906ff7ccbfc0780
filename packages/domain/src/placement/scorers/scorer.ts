import type { Field } from '../board/verdicts.ts'
import type { Need } from '../decision/decision.ts'

/** One merit of a cluster, from 0 to 100; 100 is best. */
export type Scorer<N extends Need = Need, M extends string = string> = Readonly<{
  name: string
  /** All that it reads of a request: requests that agree on these share one judgement. */
  needs: readonly N[]
  /** All measures that it reads of the board. */
  reads: readonly M[]
  /**
   * Fills scores[slot], also for clusters that are out, whose scores nobody looks at: to skip
   * them would take longer. False: it has nothing to say about this request, and the weights of
   * the others count for all.
   */
  score(field: Field<N, M>, scores: Float64Array): boolean
  /** Scores a candidate anew whose holding has changed; absent: holdings do not matter to it. */
  rescore?(field: Field<N, M>, scores: Float64Array, slot: number): void
  /** Whether others would score differently without this candidate; absent: never. */
  affectsOthers?(field: Field<N, M>, scores: Float64Array, slot: number): boolean
}>
