import { nameProblem, parseQuantity, type Resources } from '@bourse/domain/quantity'
import type { Written } from './objects.ts'

/**
 * An amount that cannot be read counts as this: its node then has nothing free of that resource.
 * Every amount that can be read is smaller.
 */
export const ALL = 2n ** 63n - 1n

/** Exact: the API server keeps quantities to thousandths of every unit, also of bytes. */
export type Thousandths = Map<string, bigint>

/** Names that an advertisement could not carry (`attachable-volumes-…`) are left out. */
export type AmountReader = (written: Written | undefined, note: NoteProblem) => Thousandths

export type NoteProblem = (name: string, reason: string) => void

type Reading = Readonly<{ amount: bigint; reason?: string }>

/** Texts such as `100m` come again and again; more different ones than this are not remembered. */
const MEMORY_MAX = 10_000

export function createAmountReader(): AmountReader {
  const readings = new Map<string, Reading>()
  const names = new Map<string, boolean>()

  const read = (text: string) => remembered(readings, text, readThousandths)
  const isCounted = (name: string) => remembered(names, name, isAdvertisable)

  return (written, note) => {
    const amounts: Thousandths = new Map()
    for (const name in written) {
      if (!isCounted(name)) continue
      const { amount, reason } = read(`${written[name]}`)
      if (reason !== undefined) note(name, reason)
      amounts.set(name, amount)
    }
    return amounts
  }
}

/** Supply rounds down; what cannot be read is not there. */
export function readSupply(written: Written | undefined, note: NoteProblem): Resources {
  const supply: Record<string, bigint> = {}
  for (const name in written) {
    if (!isAdvertisable(name)) continue
    const unit = name === 'cpu' ? 'milli' : 'whole'
    const parsed = parseQuantity(`${written[name]}`, { unit, round: 'down' })
    if (parsed.kind === 'bad') note(name, parsed.reason)
    else supply[name] = parsed.amount
  }
  return supply
}

/** Whole units, rounded up once, after all additions, as the scheduler does; cpu stays as it is. */
export function roundedUp(amounts: Thousandths): Resources {
  const resources: Record<string, bigint> = {}
  for (const [name, amount] of amounts) {
    const whole = name === 'cpu' ? amount : (amount + 999n) / 1000n
    if (amount > 0n) resources[name] = amount >= ALL ? ALL : whole
  }
  return resources
}

function isAdvertisable(name: string): boolean {
  return nameProblem(name) === undefined
}

function readThousandths(text: string): Reading {
  const parsed = parseQuantity(text, { unit: 'milli', round: 'up' })
  return parsed.kind === 'ok' ? { amount: parsed.amount } : { amount: ALL, reason: parsed.reason }
}

function remembered<T>(memory: Map<string, T>, key: string, find: (key: string) => T): T {
  const known = memory.get(key)
  if (known !== undefined) return known
  if (memory.size >= MEMORY_MAX) memory.clear()
  const found = find(key)
  memory.set(key, found)
  return found
}
