import type { Money } from '../../quantity/money.ts'
import { isGpu } from '../../quantity/resource-name.ts'
import { amountOf, type Resources } from '../../quantity/resources.ts'
import type { Prices } from './board.ts'

/** What of a request may have a price: thousandths of a core, bytes, GPUs of any kind. */
export type Billable = Readonly<{ cpu: bigint; memory: bigint; gpu: bigint }>

export const MILLI_PER_CORE = 1000n
export const BYTES_PER_GIB = 2n ** 30n

export function billableOf(wanted: Resources): Billable {
  let gpu = 0n
  for (const name in wanted) if (isGpu(name)) gpu += amountOf(wanted, name)
  return { cpu: amountOf(wanted, 'cpu'), memory: amountOf(wanted, 'memory'), gpu }
}

/**
 * What a request costs an hour, to the nearest billionth: cores × cpu + GiB × memory + GPUs × gpu.
 * What has no price adds nothing; undefined if nothing that is wanted has one.
 */
export function priceFor(wanted: Resources, prices: Prices): Money | undefined {
  const { cpu, memory, gpu } = billableOf(wanted)
  const isPriced =
    (cpu > 0n && prices.cpu !== undefined) ||
    (memory > 0n && prices.memory !== undefined) ||
    (gpu > 0n && prices.gpu !== undefined)
  if (!isPriced) return undefined
  // One division at the end, so that only one rounding happens.
  const under = MILLI_PER_CORE * BYTES_PER_GIB
  const over =
    cpu * (prices.cpu ?? 0n) * BYTES_PER_GIB +
    memory * (prices.memory ?? 0n) * MILLI_PER_CORE +
    gpu * (prices.gpu ?? 0n) * under
  return (over + under / 2n) / under
}
