import type { DecisionSummary } from '@bourse/domain/placement'

const texts = new WeakMap<DecisionSummary, string>()

/**
 * The JSON of a decision's grounds. Where the history cannot find them in the journal it is needed
 * twice, for the batch and a second later, and most of its cost is printing fifteen fractions: so
 * it is kept for that second.
 */
export function decisionText(decision: DecisionSummary): string {
  const known = texts.get(decision)
  if (known !== undefined) return known
  const text = JSON.stringify(decision)
  texts.set(decision, text)
  return text
}

/** The JSON of an object with one more member, whose own JSON is there already. */
export const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)},"${name}":${value}}`
