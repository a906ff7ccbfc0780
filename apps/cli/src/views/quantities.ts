import type { Quantities } from '@bourse/contract'
import { parseQuantity } from '@bourse/domain/quantity'

const STEPS = [
  { suffix: 'Ti', size: 2n ** 40n },
  { suffix: 'Gi', size: 2n ** 30n },
  { suffix: 'Mi', size: 2n ** 20n },
  { suffix: 'Ki', size: 2n ** 10n },
] as const

/** `2 cpu, 4Gi memory, 1 gpu`; empty amounts are left out. */
export function describeQuantities(quantities: Quantities): string {
  return Object.entries(quantities)
    .filter(([, amount]) => !/^0+$/.test(amount))
    .map(([name, amount]) => `${roundQuantity(name, amount)} ${name}`)
    .join(', ')
}

/** An amount for the eye: cores with two decimals, bytes in the largest unit that fits. */
export function roundQuantity(name: string, written: string | undefined): string {
  if (written === undefined) return ''
  const isCpu = name === 'cpu'
  const parsed = parseQuantity(written, { unit: isCpu ? 'milli' : 'whole', round: 'down' })
  // What we cannot read is shown as it came: the broker may know more forms than we do.
  if (parsed.kind === 'bad') return written
  if (isCpu) return decimals(parsed.amount, 1_000n)
  const step = isBytes(name) ? STEPS.find(({ size }) => parsed.amount >= size) : undefined
  return step ? `${decimals(parsed.amount, step.size)}${step.suffix}` : String(parsed.amount)
}

/** `free/allocatable`, as tables show them. */
export function freeOf(name: string, available: Quantities, allocatable: Quantities): string {
  if (allocatable[name] === undefined) return ''
  return `${roundQuantity(name, available[name] ?? '0')}/${roundQuantity(name, allocatable[name])}`
}

function isBytes(name: string): boolean {
  return /^(memory|storage|ephemeral-storage|hugepages-.*)$/.test(name)
}

/** Two decimals, rounded down: free capacity is never shown larger than it is. */
function decimals(amount: bigint, unit: bigint): string {
  const hundredths = (amount * 100n) / unit
  const fraction = String(hundredths % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(hundredths / 100n) : `${hundredths / 100n}.${fraction}`
}
