import type { Quantities } from '@bourse/contract'
import {
  aliasOf,
  canonicalName,
  parseQuantity,
  roundedAmount,
  unitOf,
} from '@bourse/domain/quantity'

const BYTES: ReadonlySet<string> = new Set(['memory', 'ephemeral-storage'])

/** `2 cpu, 4Gi memory, 1 gpu`; empty amounts are left out. */
export function describeQuantities(quantities: Quantities): string {
  return Object.entries(quantities)
    .filter(([, amount]) => !/^0+$/.test(amount))
    .map(([name, amount]) => `${roundQuantity(name, amount)} ${resourceWord(name)}`)
    .join(', ')
}

/** The short name that people use: `gpu` for `nvidia.com/gpu`. */
export function resourceWord(name: string): string {
  return aliasOf(name) ?? name
}

/** A rounded amount for tables. */
export function roundQuantity(name: string, written: string | undefined): string {
  if (written === undefined) return ''
  const resource = canonicalName(name)
  const parsed = parseQuantity(written, { unit: unitOf(resource), round: 'down' })
  // A newer broker may know other forms: they are shown as they came.
  if (parsed.kind === 'bad') return written
  const shown = roundedAmount(resource, parsed.amount)
  // A forgotten unit becomes visible: bytes.
  return BYTES.has(resource) && /^[1-9]\d*$/.test(shown) ? `${shown} B` : shown
}

/** `free/allocatable`, as tables show them. */
export function freeOf(name: string, available: Quantities, allocatable: Quantities): string {
  if (allocatable[name] === undefined) return ''
  return `${roundQuantity(name, available[name] ?? '0')}/${roundQuantity(name, allocatable[name])}`
}
