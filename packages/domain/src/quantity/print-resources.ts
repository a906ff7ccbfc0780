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

/** The name as the caller wrote it. */
export function spokenName(name: string, aliases: readonly string[]): string {
  const alias = aliasOf(name)
  return alias !== undefined && aliases.includes(alias) ? alias : name
}
