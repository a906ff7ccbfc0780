import { amountOf, type Resources } from '@bourse/domain/quantity'

/** Running totals by resource name; a name whose total is zero is gone. */
export type Sums = Map<string, bigint>

export function addTo(sums: Sums, amounts: Resources, sign: 1n | -1n): void {
  for (const name in amounts) bump(sums, name, (amounts[name] ?? 0n) * sign)
}

export function bump(sums: Sums, name: string, by: bigint): void {
  if (by === 0n) return
  const total = (sums.get(name) ?? 0n) + by
  if (total === 0n) sums.delete(name)
  else sums.set(name, total)
}

/**
 * What one more pod could still get on a node: allocatable less requests, never below zero, so
 * that a node which owes something does not take it from what others have. Without a free slot for
 * a pod nothing can be placed, however much there is of the rest.
 */
export function freeOnNode(
  allocatable: Resources,
  requested: ReadonlyMap<string, bigint>,
): Resources {
  const free: Record<string, bigint> = {}
  const hasSlot = amountOf(allocatable, 'pods') > (requested.get('pods') ?? 0n)
  for (const name in allocatable) {
    const rest = amountOf(allocatable, name) - (requested.get(name) ?? 0n)
    free[name] = hasSlot && rest > 0n ? rest : 0n
  }
  return free
}

export function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}

/** Without resources that `known` does not name. */
export function onlyOf(known: Resources, resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => name in known))
}
