import type { DecisionSummary, Scored } from '@bourse/domain/placement'
import { onceEach } from '../../cache/once-each.ts'

/** They change with every decision: kept for long, they would only grow old as garbage. */
const KEPT_MAX = 128

/**
 * Most of the cost of a decision's grounds is printing fractions, and of two decisions for the same
 * wish in a row most of the best are the very same.
 */
const textOf = onceEach<Scored, string>((scored) => JSON.stringify(scored), {
  keptMax: KEPT_MAX,
})

/** The JSON of a decision's grounds. */
export function decisionText({ policy, best, refused }: DecisionSummary): string {
  const named = `"policy":${JSON.stringify(policy)}`
  return `{${named},"best":[${best.map(textOf).join()}],"refused":${JSON.stringify(refused)}}`
}

/** The JSON of an object with one more member, whose own JSON is there already. */
export const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)},"${name}":${value}}`
