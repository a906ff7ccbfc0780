import { unitOf } from './resource-name.ts'
import type { Resources } from './resources.ts'

/** An eighth of a core: the grid of thousandths begins here, so that whole cores lie on it. */
const MILLI_STEP = 125n
const WORD_BITS = 32
const WORD = BigInt(WORD_BITS)

/**
 * An amount rounded down to two significant bits, as shown of clusters that hide their numbers:
 *
 *   pieces, bytes   0 1 2 3 4 6 8 12 16 24 32 48 64 …
 *   cores           0 ⅛ ¼ ⅜ ½ ¾ 1 1½ 2 3 4 6 8 12 16 24 …
 *
 * The grid is the same for all clusters: a grid by cluster size would reveal the size.
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

/** Up to 2^53 doubles are exact, and several times as quick as bigints. */
function twoBits(amount: bigint): bigint {
  if (amount <= Number.MAX_SAFE_INTEGER) return BigInt(twoBitsOf(Number(amount)))
  const dropped = BigInt(2 * WORD_BITS - Math.clz32(Number(amount >> WORD)) - 2)
  return (amount >> dropped) << dropped
}

function twoBitsOf(amount: number): number {
  const high = Math.floor(amount / 2 ** WORD_BITS)
  const bits =
    high > 0 ? 2 * WORD_BITS - Math.clz32(high) : WORD_BITS - Math.clz32(amount % 2 ** WORD_BITS)
  const step = 2 ** Math.max(0, bits - 2)
  return Math.floor(amount / step) * step
}
