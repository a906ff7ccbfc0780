import { quote } from '../../quantity/quote.ts'
import { scorers as all } from './index.ts'
import type { Scorer } from './scorer.ts'

/** How much each merit counts. */
export type Policy = Readonly<{
  /** The weights in canonical form: what a decision notes as the policy it followed. */
  version: string
  /** By scorer name; positive whole numbers. */
  weights: ReadonlyMap<string, number>
}>

export type ParsedPolicy = Readonly<
  { kind: 'ok'; policy: Policy } | { kind: 'bad'; reason: string }
>

export const WEIGHT_MAX = 1000
const FORM = /^\s*([a-z][a-z-]*)\s*=\s*(\d{1,4})\s*$/

/** contract: 70 % resources, 30 % cost */
export const defaultPolicy: Policy = policyOf(
  new Map([
    ['resources', 70],
    ['cost', 30],
  ]),
  all,
)

/** Reads `resources=70,cost=30`. A scorer that is not named, or named with 0, does not count. */
export function parseWeights(text: string, scorers: readonly Scorer[] = all): ParsedPolicy {
  const weights = new Map<string, number>()
  for (const part of text.split(',')) {
    const [, name, digits] = FORM.exec(part) ?? []
    if (name === undefined)
      return bad(`${quote(part)} is not a weight: write them as "resources=70,cost=30"`)
    if (!scorers.some((scorer) => scorer.name === name))
      return bad(`there is no scorer ${quote(name)}: there are ${namesOf(scorers)}`)
    if (weights.has(name)) return bad(`${name} has two weights`)
    const weight = Number(digits)
    if (weight > WEIGHT_MAX) return bad(`the weight of ${name} is above ${WEIGHT_MAX}`)
    weights.set(name, weight)
  }
  const policy = policyOf(weights, scorers)
  return policy.weights.size > 0
    ? { kind: 'ok', policy }
    : bad('at least one weight must be above 0')
}

/** In the scorers' own order, so that the same weights always make the same version. */
function policyOf(weights: ReadonlyMap<string, number>, scorers: readonly Scorer[]): Policy {
  const entries = scorers
    .map(({ name }) => [name, weights.get(name) ?? 0] as const)
    .filter(([, weight]) => weight > 0)
  const version = entries.map(([name, weight]) => `${name}=${weight}`).join(',')
  return { version, weights: new Map(entries) }
}

export function namesOf(scorers: readonly Scorer[]): string {
  return scorers.map(({ name }) => name).join(', ')
}

function bad(reason: string): ParsedPolicy {
  return { kind: 'bad', reason }
}
