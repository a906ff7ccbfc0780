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
  return Object.entries(printResources(resources, aliases))
    .map(([name, quantity]) => `${quantity} ${name}`)
    .join(', ')
}

/** As people say it: `1.5 CPU`, `24 GPUs`, `8Gi memory`. */
export function spokenAmount(name: string, amount: bigint): string {
  if (name === 'cpu') return `${Number(amount) / 1_000} CPU`
  if (aliasOf(name) === 'gpu') return `${amount} ${amount === 1n ? 'GPU' : 'GPUs'}`
  return `${readableAmount(name, amount)} ${name}`
}

/** Free bytes are seldom a round number, so long figures are rounded. */
export function readableAmount(name: string, amount: bigint): string {
  const exact = formatAmount(name, amount)
  return exact.length <= READABLE_LENGTH ? exact : roundedAmount(name, amount)
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

/** Two decimals, rounded down: never shown larger than it is. */
function decimals(amount: bigint, unit: bigint): string {
  const hundredths = (amount * 100n) / unit
  const fraction = String(hundredths % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(hundredths / 100n) : `${hundredths / 100n}.${fraction}`
}
