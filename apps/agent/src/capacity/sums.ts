import type { Resources } from '@bourse/domain/quantity'

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
