import type { Filter } from './filters/filter.ts'
import { filters } from './filters/index.ts'
import { scorers } from './scorers/index.ts'
import type { Scorer } from './scorers/scorer.ts'

/** All that judges a cluster. */
export type Rules = Readonly<{ filters: readonly Filter[]; scorers: readonly Scorer[] }>

export const rules: Rules = { filters, scorers }
