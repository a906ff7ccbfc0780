import type { Quantities } from '@bourse/contract'
import { parseQuantity, roundedAmount, unitOf } from '@bourse/domain/quantity'

/** `2 cpu, 4Gi memory, 1 gpu`; empty amounts are left out. */
export function describeQuantities(quantities: Quantities): string {
  return Object.entries(quantities)
    .filter(([, amount]) => !/^0+$/.test(amount))
    .map(([name, amount]) => `${roundQuantity(name, amount)} ${name}`)
    .join(', ')
}

/** A written amount for the eye. */
export function roundQuantity(name: string, written: string | undefined): string {
  if (written === undefined) return ''
  const parsed = parseQuantity(written, { unit: unitOf(name), round: 'down' })
  // What we cannot read is shown as it came: the broker may know more forms than we do.
  return parsed.kind === 'bad' ? written : roundedAmount(name, parsed.amount)
}

/** `free/allocatable`, as tables show them. */
export function freeOf(name: string, available: Quantities, allocatable: Quantities): string {
  if (allocatable[name] === undefined) return ''
  return `${roundQuantity(name, available[name] ?? '0')}/${roundQuantity(name, allocatable[name])}`
}
