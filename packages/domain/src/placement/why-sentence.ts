import type { Money } from '../quantity/money.ts'
import { formatScore } from './decision/base-score.ts'
import type { Scored } from './decision/decision.ts'
import { parseWeights } from './scorers/policy.ts'

/** A candidate as its reader may know it. */
export type Candidate = Readonly<{
  scored: Scored
  pricePerHour?: Money | undefined
  isHidden?: boolean
}>

/** Of the scorers that people call otherwise. */
const LABELS: Readonly<Record<string, string>> = { resources: 'room', cost: 'price' }
/** Hundredths of a point: below, two rounded numbers may differ by rounding alone. */
const NOISE = 1

/** Both in one, of candidates in their order; empty if there is none. */
export function whySentence(policy: string, [first, second]: readonly Candidate[]): string {
  if (!first) return ''
  const lead = second && leadSentence(first, second)
  return `${sumSentence(first.scored, policy)}${lead ? `: ${lead}` : ''}`
}

/** The sum behind a score: `56.57 = 0.7 x 37.96 + 0.3 x 100`. */
export function sumSentence({ score, parts }: Scored, policy: string): string {
  const total = formatScore(score)
  const names = Object.keys(parts)
  const weights = weightsOf(policy, names)
  if (!weights || names.length === 0) return total
  if (names.length === 1) return `${total} for ${labelOf(names[0] ?? '')} alone`
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const terms = names.map(
    (name, at) => `${shareOf(weights[at] ?? 0, all)} x ${plain(hundredths(parts[name]))}`,
  )
  return `${total} = ${terms.join(' + ')}`
}

/**
 * What put the first before the second: `half the price of paris outweighs 20 points less room`.
 * Numbers only where neither is hidden; prices are public. Undefined: the scores do not say.
 */
export function leadSentence(first: Candidate, second: Candidate): string | undefined {
  const rival = second.scored.clusterId
  const isHidden = first.isHidden === true || second.isHidden === true
  const ahead = hundredths(first.scored.score) - hundredths(second.scored.score)
  if (ahead < 0) return undefined
  const byRounded = isHidden ? ', by rounded amounts' : ''
  if (ahead === 0) return `level with ${rival}${isHidden ? byRounded : TIES}`

  const differences = Object.keys(first.scored.parts)
    .map((name) => differenceIn(name, first, second))
    .filter(({ points }) => Math.abs(points) > NOISE)
  const gains = differences.filter(({ points }) => points > 0)
  const losses = differences.filter(({ points }) => points < 0)
  if (gains.length === 0)
    return isHidden ? `just before ${rival}${byRounded}` : `${pointsOf(ahead)} before ${rival}`
  const told = gains.map((gain, at) => gain.tell(at === 0 ? rival : undefined)).join(' and ')
  if (losses.length === 0) return `${told}${byRounded}`
  const lost = losses.map((loss) => loss.tell()).join(' and ')
  return `${told} ${gains.length === 1 ? 'outweighs' : 'outweigh'} ${lost}${byRounded}`

  function differenceIn(name: string, one: Candidate, other: Candidate): Difference {
    const points = hundredths(one.scored.parts[name]) - hundredths(other.scored.parts[name])
    const price = name === 'cost' ? priceWords(one, other, points > 0) : undefined
    const tell = price ?? ((than) => `${meritWords(name, points, isHidden)}${after(' than', than)}`)
    return { points, tell }
  }
}

const TIES = ' to two decimals (a tie goes to the fewest reservations, then by name)'

type Difference = Readonly<{
  /** In hundredths. */
  points: number
  /** In words, beside the rival if it is to be named. */
  tell: Tell
}>
type Tell = (rival?: string) => string

/** `20 points less room` */
function meritWords(name: string, points: number, isHidden: boolean): string {
  const [more, less] = name === 'resources' ? ['more', 'less'] : ['better', 'worse']
  const words = `${points > 0 ? more : less} ${labelOf(name)}`
  return isHidden ? words : `${pointsOf(Math.abs(points))} ${words}`
}

const PORTIONS = new Map([
  [25, 'a quarter of the price'],
  [33, 'a third of the price'],
  [50, 'half the price'],
  [200, 'twice the price'],
])

/** `half the price of paris`; undefined if one has no price, or the prices do not tell. */
function priceWords(one: Candidate, other: Candidate, isGain: boolean): Tell | undefined {
  const [price, rivals] = [one.pricePerHour, other.pricePerHour]
  if (price === undefined || rivals === undefined) return undefined
  if (price === rivals || price < rivals !== isGain) return undefined
  if (price === 0n) return (rival) => `being free${after(', unlike', rival)}`
  if (rivals === 0n) return (rival) => (rival ? `a price, unlike ${rival}` : 'having a price')
  const percent = Math.round((100 * Number(price)) / Number(rivals))
  if (percent === 100)
    return (rival) => `a slightly ${isGain ? 'lower' : 'higher'} price${after(' than', rival)}`
  return (rival) => `${PORTIONS.get(percent) ?? ratioWords(percent)}${after(' of', rival)}`
}

function ratioWords(percent: number): string {
  if (percent > 100) return `${percent / 100} times the price`
  return `${percent === 0 ? 'less than 1' : percent} % of the price`
}

function after(word: string, rival: string | undefined): string {
  return rival === undefined ? '' : `${word} ${rival}`
}

/** Of these scorers, in their order; undefined if the policy does not name them all. */
function weightsOf(policy: string, names: readonly string[]): number[] | undefined {
  const parsed = parseWeights(policy)
  if (parsed.kind === 'bad') return undefined
  const weights = names.flatMap((name) => parsed.policy.weights.get(name) ?? [])
  return weights.length === names.length ? weights : undefined
}

/** `0.7`, or `2/3` where a short decimal would be wrong. */
function shareOf(weight: number, all: number): string {
  if ((weight * 1000) % all === 0) return String(weight / all)
  const divisor = commonDivisor(weight, all)
  return `${weight / divisor}/${all / divisor}`
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

function labelOf(name: string): string {
  return LABELS[name] ?? name
}

/** `20 points`, `0.4 points`: whole ones where there are many. */
function pointsOf(ofHundredths: number): string {
  const shown = ofHundredths >= 1000 ? 100 * Math.round(ofHundredths / 100) : ofHundredths
  return `${plain(shown)} ${shown === 100 ? 'point' : 'points'}`
}

function hundredths(score = 0): number {
  return Math.round(100 * score)
}

function plain(ofHundredths: number): string {
  return String(ofHundredths / 100)
}
