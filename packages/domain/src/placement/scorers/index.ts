import { costScorer } from './cost-scorer.ts'
import { resourcesScorer } from './resources-scorer.ts'
import type { Scorer } from './scorer.ts'

/** Every scorer a policy may give weight to. */
export const scorers: readonly Scorer[] = [resourcesScorer, costScorer]
