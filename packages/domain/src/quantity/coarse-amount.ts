import { unitOf } from './resource-name.ts'
import type { Resources } from './resources.ts'

/** An eighth of a core: the grid of thousandths begins here, so that whole cores lie on it. */
const MILLI_STEP = 125n
const WORD_BITS = 32
const WORD = BigInt(WORD_BITS)

/**
 * An amount rounded down to two significant bits, as it is told of clusters that hide theirs:
 *
 *   pieces, bytes   0 1 2 3 4 6 8 12 16 24 32 48 64 …
 *   cores           0 ⅛ ¼ ⅜ ½ ¾ 1 1½ 2 3 4 6 8 12 16 24 …
 *
 * The grid is the same for all clusters: one that followed from a cluster's size would tell its size.
 */
export function coarseAmount(name: string, amount: bigint): bigint {
  if (amount <= 0n) return 0n
  return unitOf(name) === 'milli' ? twoBits(amount / MILLI_STEP) * MILLI_STEP : twoBits(amount)
}

export function coarseResources(resources: Resources): Resources {
  const coarse: Record<string, bigint> = {}
  for (const name in resources) coarse[name] = coarseAmount(name, resources[name] ?? 0n)
  return coarse
}

function twoBits(amount: bigint): bigint {
  const dropped = BigInt(Math.max(0, bitsOf(amount) - 2))
  return (amount >> dropped) << dropped
}

/** Amounts stay below 2^63, which is two words. */
function bitsOf(amount: bigint): number {
  const high = Number(amount >> WORD)
  return high > 0
    ? 2 * WORD_BITS - Math.clz32(high)
    : WORD_BITS - Math.clz32(Number(amount & 0xffff_ffffn))
}
