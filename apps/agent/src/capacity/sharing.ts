import { amountOf, type Resources } from '@bourse/domain/quantity'
import type { Measurement } from './measurement.ts'
import { smaller } from './sums.ts'

/** How much of the cluster may be lent; `nothing`: it only borrows. */
export type Share = Readonly<
  | { kind: 'all' }
  /** A whole number from 0 to 100, of every resource. */
  | { kind: 'percentage'; percent: number }
  /** What is not named is not lent, slots for pods aside: who lends cpu lends those, too. */
  | { kind: 'amount'; amount: Resources }
  | { kind: 'nothing' }
>

export type SharingLimits = Readonly<{
  share: Share
  /** Always stays free for the cluster's own pods. */
  keepBack: Resources
}>

export const SHARE_ALL: SharingLimits = { share: { kind: 'all' }, keepBack: {} }

/** `all`, `none` or a percentage; undefined: none of these. */
export function parseShare(written: string): Share | undefined {
  if (written === 'all') return { kind: 'all' }
  if (written === 'none') return { kind: 'nothing' }
  const percent = Number(/^(\d{1,3})%$/.exec(written)?.[1] ?? Number.NaN)
  return percent <= 100 ? { kind: 'percentage', percent } : undefined
}

/**
 * The measurement as others may see it: a cluster of the size that is shared, in which own pods
 * take up room only where they leave less than that. Per resource
 *
 *   offered     = min(free − kept back, shared − used)      never below zero
 *   allocatable = shared
 *   allocated   = shared − offered
 *
 * so that allocatable − allocated − held, which the broker computes, is what may still be lent.
 */
export function applySharing(measurement: Measurement, limits: SharingLimits): Measurement {
  const { share, keepBack } = limits
  if (share.kind === 'nothing') return withNothing(measurement)
  const used = [...measurement.used.values()]

  const offered = (name: string): bigint => {
    const allocatable = amountOf(measurement.allocatable, name)
    const free = allocatable - amountOf(measurement.allocated, name) - amountOf(keepBack, name)
    if (share.kind === 'all') return atLeastZero(free)
    const lent = used.reduce((total, one) => total + amountOf(one, name), 0n)
    return atLeastZero(smaller(free, shared(share, name, allocatable) - lent))
  }
  const each = (amount: (name: string) => bigint): Resources =>
    Object.fromEntries(Object.keys(measurement.capacity).map((name) => [name, amount(name)]))
  const allocatable = each((name) => shared(share, name, amountOf(measurement.allocatable, name)))
  return {
    ...measurement,
    capacity: each((name) => shared(share, name, amountOf(measurement.capacity, name))),
    allocatable,
    allocated: each((name) => amountOf(allocatable, name) - offered(name)),
    largestFit: each((name) => smaller(amountOf(measurement.largestFit, name), offered(name))),
  }
}

function shared(share: Share, name: string, total: bigint): bigint {
  switch (share.kind) {
    case 'all':
      return total
    case 'percentage':
      return (total * BigInt(share.percent)) / 100n
    case 'amount':
      return name === 'pods' && !(name in share.amount)
        ? total
        : smaller(total, amountOf(share.amount, name))
    case 'nothing':
      return 0n
  }
}

/** What runs for others still does; it is told, so that nothing is held for it in addition. */
function withNothing(measurement: Measurement): Measurement {
  const none = Object.fromEntries(Object.keys(measurement.capacity).map((name) => [name, 0n]))
  const nothing = { capacity: none, allocatable: none, allocated: none, largestFit: none }
  return { ...measurement, ...nothing, gpuModels: {} }
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
