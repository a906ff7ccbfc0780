/**
 * An amount of each resource by canonical name, in whole units: cpu in thousandths of a core,
 * bytes for memory and ephemeral-storage, pieces for everything else. Absent means none.
 */
export type Resources = Readonly<Record<string, bigint>>

/** Safe for any name: what an object inherits (`constructor`) is not an amount. */
export function amountOf(resources: Resources, name: string): bigint {
  const amount: unknown = resources[name]
  return typeof amount === 'bigint' ? amount : 0n
}

export function add(left: Resources, right: Resources): Resources {
  const total: Record<string, bigint> = { ...left }
  for (const name in right) total[name] = amountOf(left, name) + amountOf(right, name)
  return total
}

/** May go below zero: an overcommitted cluster owes more than it has. */
export function subtract(left: Resources, right: Resources): Resources {
  const rest: Record<string, bigint> = { ...left }
  for (const name in right) rest[name] = amountOf(left, name) - amountOf(right, name)
  return rest
}

export function sum(all: Iterable<Resources>): Resources {
  const total: Record<string, bigint> = {}
  for (const resources of all)
    for (const name in resources) total[name] = amountOf(total, name) + amountOf(resources, name)
  return total
}

/** An unknown resource is zero; what is wanted in no amount always fits. */
export function fits(wanted: Resources, available: Resources): boolean {
  for (const name in wanted) {
    const amount = amountOf(wanted, name)
    if (amount > 0n && amount > amountOf(available, name)) return false
  }
  return true
}

/** Nothing is shown below zero. */
export function clampZero(resources: Resources): Resources {
  const clamped: Record<string, bigint> = {}
  for (const name in resources) {
    const amount = amountOf(resources, name)
    clamped[name] = amount > 0n ? amount : 0n
  }
  return clamped
}

export function isZero(resources: Resources): boolean {
  for (const name in resources) if (amountOf(resources, name) !== 0n) return false
  return true
}

export function withoutZeros(resources: Resources): Resources {
  const rest: Record<string, bigint> = {}
  for (const name in resources) {
    const amount = amountOf(resources, name)
    if (amount !== 0n) rest[name] = amount
  }
  return rest
}

/** Equal amounts; an absent name and a zero are the same. */
export function equal(left: Resources, right: Resources): boolean {
  if (left === right) return true
  for (const name in left) if (amountOf(left, name) !== amountOf(right, name)) return false
  for (const name in right) if (amountOf(left, name) !== amountOf(right, name)) return false
  return true
}
