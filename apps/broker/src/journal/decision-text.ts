import type { DecisionSummary, Scored } from '@bourse/domain/placement'

const texts = new WeakMap<Scored, string>()

/**
 * The JSON of a decision's grounds. Most of its cost is printing fractions, and of two decisions
 * for the same wish in a row most of the best are the very same: each is printed once.
 */
export function decisionText({ policy, best, refused }: DecisionSummary): string {
  const named = `"policy":${JSON.stringify(policy)}`
  return `{${named},"best":[${best.map(textOf).join()}],"refused":${JSON.stringify(refused)}}`
}

function textOf(scored: Scored): string {
  const known = texts.get(scored)
  if (known !== undefined) return known
  const text = JSON.stringify(scored)
  texts.set(scored, text)
  return text
}

/** The JSON of an object with one more member, whose own JSON is there already. */
export const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)},"${name}":${value}}`
