import { type Measure, measures } from './board/measures.ts'
import type { Filter } from './filters/filter.ts'
import { filters } from './filters/index.ts'
import { scorers } from './scorers/index.ts'
import type { Policy } from './scorers/policy.ts'
import type { Scorer } from './scorers/scorer.ts'

/** All that judges a cluster, and the measures it is judged by. */
export type Rules = Readonly<{
  measures: readonly Measure[]
  filters: readonly Filter[]
  scorers: readonly Scorer[]
}>

export const rules: Rules = { measures, filters, scorers }

/** The measures that the scorers of a policy read: the board needs no others. */
export function measuresRead({ measures, scorers }: Rules, { weights }: Policy): Measure[] {
  const read = new Set(scorers.flatMap(({ name, reads }) => (weights.has(name) ? reads : [])))
  return measures.filter(({ name }) => read.has(name))
}
