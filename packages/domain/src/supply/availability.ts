import { amountOf, type Resources } from '../quantity/resources.ts'
import type { Advertisement } from './cluster.ts'

/** What a reservation still holds of a provider: max(0, reserved − used), per resource. */
export function holdOf(reserved: Resources, used: Resources | undefined): Resources {
  if (!used) return reserved
  const hold: Record<string, bigint> = {}
  for (const name in reserved) {
    const left = amountOf(reserved, name) - amountOf(used, name)
    hold[name] = left > 0n ? left : 0n
  }
  return hold
}

/**
 * Available = allocatable − allocated − reserved, per resource: the one place that subtracts
 * reserved. Negative where more is promised than there is; clamped only where it is shown.
 */
export function availableOf(supply: Advertisement, reserved: Resources): Resources {
  const available: Record<string, bigint> = {}
  for (const name in supply.allocatable)
    available[name] =
      amountOf(supply.allocatable, name) -
      amountOf(supply.allocated, name) -
      amountOf(reserved, name)
  // Held, but no longer offered at all: still owed, so below 0.
  for (const name in reserved)
    if (!Object.hasOwn(available, name))
      available[name] = -amountOf(supply.allocated, name) - amountOf(reserved, name)
  return available
}

/** The most of each resource on a single node, less what was granted since it was measured. */
export function nodeFitOf(largestFit: Resources, granted: Resources): Resources {
  const fit: Record<string, bigint> = {}
  for (const name in largestFit) fit[name] = amountOf(largestFit, name) - amountOf(granted, name)
  return fit
}

/**
 * Supply shrank below what is held: nothing is revoked, and no more of that resource is granted.
 * Part of what is held is `reserved`, the rest is in use.
 */
export function isOvercommitted(
  available: Resources,
  reserved: Resources,
  uses: () => readonly Resources[],
): boolean {
  for (const name in available) {
    if (amountOf(available, name) >= 0n) continue
    if (amountOf(reserved, name) > 0n || uses().some((use) => amountOf(use, name) > 0n)) return true
  }
  return false
}
