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
   * Fills scores[slot]. Also for clusters that are out, whose scores are not read: to skip them
   * would take longer. False: it does not apply to this request, and only the other weights count.
   */
  score(field: Field<N, M>, scores: Float64Array): boolean
  /** Scores one candidate whose holding has changed. Absent: holdings do not matter. */
  rescore?(field: Field<N, M>, scores: Float64Array, slot: number): void
  /** Whether other scores would change without this candidate. Absent: never. */
  affectsOthers?(field: Field<N, M>, scores: Float64Array, slot: number): boolean
}>
