import { type ParsedQuantity, parseQuantity, type Unit } from './quantity.ts'
import { canonicalName, isNative, nameProblem, unitOf } from './resource-name.ts'
import { isZero, type Resources, withoutZeros } from './resources.ts'

export type ResourceProblem = Readonly<{ name: string; reason: string }>

export type ParsedResources = Readonly<
  | { kind: 'ok'; resources: Resources; aliases?: readonly string[] }
  | { kind: 'bad'; problems: readonly ResourceProblem[] }
>

/** Decides how amounts are rounded: supply down, the others up. */
export type ResourcesKind = 'supply' | 'wanted' | 'allocated'

/** Kubernetes nodes have a dozen; thousands are an attack on memory. */
const NAMES_MAX = 64
const QUANTITIES_MAX = 4_096

type Amount = Readonly<{ written: string; name: string; amount: bigint }>

/** Makes written resources canonical (contract §2): one name each, whole units, sorted. */
export function parseResources(
  written: Readonly<Record<string, string | number>>,
  kind: ResourcesKind,
): ParsedResources {
  const entries = Object.entries(written)
  if (entries.length > NAMES_MAX)
    return bad([{ name: '', reason: `names more than ${NAMES_MAX} resources` }])
  const amounts: Amount[] = []
  const problems: ResourceProblem[] = []
  for (const [name, quantity] of entries) {
    const parsed = parseEntry(name, `${quantity}`, kind)
    if ('reason' in parsed) problems.push(parsed)
    else amounts.push(parsed)
  }
  const aliases = aliasesIn(amounts)
  // Only an alias can name the same resource a second time.
  if (aliases.length > 0) problems.push(...disagreements(amounts))
  if (problems.length > 0) return bad(problems)

  const resources = collect(amounts)
  if (kind !== 'wanted') return ok(resources, aliases)
  if (isZero(resources)) return bad([{ name: '', reason: 'needs at least one positive resource' }])
  return ok(withoutZeros(resources), aliases)
}

const known = {
  up: { milli: createReader('milli', 'up'), whole: createReader('whole', 'up') },
  down: { milli: createReader('milli', 'down'), whole: createReader('whole', 'down') },
}

/** Caches: clusters repeat their quantities, and many have the same. */
function createReader(unit: Unit, round: 'up' | 'down'): (text: string) => ParsedQuantity {
  const read = new Map<string, ParsedQuantity>()
  return (text) => {
    const before = read.get(text)
    if (before) return before
    if (read.size >= QUANTITIES_MAX) read.clear()
    const parsed = parseQuantity(text, { unit, round })
    // Bad text may be long, and need not be quick.
    if (parsed.kind === 'ok') read.set(text, parsed)
    return parsed
  }
}

function parseEntry(
  written: string,
  quantity: string,
  kind: ResourcesKind,
): Amount | ResourceProblem {
  const name = canonicalName(written)
  const reason = nameProblem(name)
  if (reason !== undefined) return { name: written, reason }
  const parsed = known[kind === 'supply' ? 'down' : 'up'][unitOf(name)](quantity)
  if (parsed.kind === 'bad') return { name: written, reason: parsed.reason }
  if (!parsed.exact && !isNative(name))
    return { name: written, reason: `${quantity} is a fraction: ${written} comes in whole pieces` }
  return { written, name, amount: parsed.amount }
}

/** An alias and its canonical name must have the same amount. */
function disagreements(amounts: readonly Amount[]): ResourceProblem[] {
  const seen = new Map<string, Amount>()
  const problems: ResourceProblem[] = []
  for (const one of amounts) {
    const other = seen.get(one.name)
    if (other !== undefined && other.amount !== one.amount)
      problems.push({ name: one.written, reason: `differs from ${other.written}` })
    seen.set(one.name, one)
  }
  return problems
}

/** Sorted by name, so that equal resources print equal. */
function collect(amounts: readonly Amount[]): Resources {
  const resources: Record<string, bigint> = {}
  for (const { name, amount } of sortedByName(amounts)) resources[name] = amount
  return resources
}

/** Usually they are in order. */
function sortedByName(amounts: readonly Amount[]): readonly Amount[] {
  const isSorted = amounts.every(({ name }, at) => at === 0 || (amounts[at - 1]?.name ?? '') < name)
  return isSorted ? amounts : amounts.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function aliasesIn(amounts: readonly Amount[]): readonly string[] {
  return amounts.filter(({ written, name }) => written !== name).map(({ written }) => written)
}

function ok(resources: Resources, aliases: readonly string[]): ParsedResources {
  return aliases.length > 0 ? { kind: 'ok', resources, aliases } : { kind: 'ok', resources }
}

function bad(problems: readonly ResourceProblem[]): ParsedResources {
  return { kind: 'bad', problems }
}
