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

/** As people ask for it: `gpu`, whatever it is called on the wire. */
export function resourceWord(name: string): string {
  return aliasOf(name) ?? name
}

/** A written amount for the eye. */
export function roundQuantity(name: string, written: string | undefined): string {
  if (written === undefined) return ''
  const resource = canonicalName(name)
  const parsed = parseQuantity(written, { unit: unitOf(resource), round: 'down' })
  // What we cannot read is shown as it came: the broker may know more forms than we do.
  if (parsed.kind === 'bad') return written
  const shown = roundedAmount(resource, parsed.amount)
  // Who forgot the unit sees what was taken for it.
  return BYTES.has(resource) && /^[1-9]\d*$/.test(shown) ? `${shown} B` : shown
}

/** `free/allocatable`, as tables show them. */
export function freeOf(name: string, available: Quantities, allocatable: Quantities): string {
  if (allocatable[name] === undefined) return ''
  return `${roundQuantity(name, available[name] ?? '0')}/${roundQuantity(name, allocatable[name])}`
}
