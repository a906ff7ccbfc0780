import { formatQuantity } from './quantity.ts'
import { aliasOf, isBytes, unitOf } from './resource-name.ts'
import { amountOf, type Resources } from './resources.ts'

/** Quantities by name, under the aliases that the caller used. */
export function printResources(
  resources: Resources,
  aliases: readonly string[] = [],
): Record<string, string> {
  const printed: Record<string, string> = {}
  for (const name in resources)
    printed[spokenName(name, aliases)] = formatAmount(name, amountOf(resources, name))
  return printed
}

/** `1500m` of cpu, `4Gi` of memory, `1000` of pods: pieces are counted, not abbreviated. */
export function formatAmount(name: string, amount: bigint): string {
  const isPieces = unitOf(name) === 'whole' && !isBytes(name)
  return isPieces ? `${amount}` : formatQuantity(amount, unitOf(name))
}

/** `8 cpu, 15Gi memory`, for sentences. */
export function describeResources(resources: Resources, aliases: readonly string[] = []): string {
  return Object.keys(resources)
    .map(
      (name) => `${readableAmount(name, amountOf(resources, name))} ${spokenName(name, aliases)}`,
    )
    .join(', ')
}

/** As people say it: `1.5 CPU`, `24 GPUs`, `8Gi memory`. */
export function spokenAmount(name: string, amount: bigint): string {
  const readable = readableAmount(name, amount)
  if (name === 'cpu') return `${readable} CPU`
  if (aliasOf(name) === 'gpu') return `${readable} ${amount === 1n ? 'GPU' : 'GPUs'}`
  return `${readable} ${name}`
}

/** For sentences: cores as decimals (`395.2`), and long figures of bytes rounded. */
export function readableAmount(name: string, amount: bigint): string {
  if (amount < 0n) return `-${readableAmount(name, -amount)}`
  if (unitOf(name) === 'milli') return decimals(amount, 1_000n, 3)
  const exact = formatAmount(name, amount)
  return exact.length <= READABLE_LENGTH ? exact : roundedAmount(name, amount)
}

/** Two amounts that differ; in full where they would read the same. */
export function readablePair(name: string, one: bigint, other: bigint): [string, string] {
  const [first, second] = [readableAmount(name, one), readableAmount(name, other)]
  return first === second ? [formatAmount(name, one), formatAmount(name, other)] : [first, second]
}

const READABLE_LENGTH = 7

/** The name as the caller wrote it. */
export function spokenName(name: string, aliases: readonly string[]): string {
  const alias = aliasOf(name)
  return alias !== undefined && aliases.includes(alias) ? alias : name
}

const STEPS = [
  { suffix: 'Ti', size: 2n ** 40n },
  { suffix: 'Gi', size: 2n ** 30n },
  { suffix: 'Mi', size: 2n ** 20n },
  { suffix: 'Ki', size: 2n ** 10n },
] as const

/** For people: cores with two decimals, bytes in the largest unit that fits. */
export function roundedAmount(name: string, amount: bigint): string {
  if (unitOf(name) === 'milli') return decimals(amount, 1_000n)
  const step = isBytes(name) ? STEPS.find(({ size }) => amount >= size) : undefined
  return step ? `${decimals(amount, step.size)}${step.suffix}` : String(amount)
}

/** Rounded down: never shown larger than it is. */
function decimals(amount: bigint, unit: bigint, places = 2): string {
  const scale = 10n ** BigInt(places)
  const scaled = (amount * scale) / unit
  const fraction = String(scaled % scale)
    .padStart(places, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(scaled / scale) : `${scaled / scale}.${fraction}`
}
