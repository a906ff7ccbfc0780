import { parseMoney } from '@bourse/domain/quantity'
import type { Prices } from './prices.ts'
import { parseTariff, type Tariff } from './tariff.ts'

/** The prices in a ConfigMap. */
export type PriceList = Readonly<{
  prices: Prices
  currency?: string
  timeZone: string
  tariffs: readonly Tariff[]
}>

export type PriceListReading =
  | Readonly<{ kind: 'list'; list: PriceList }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

const KEYS = { 'cpu-cost': 'cpuCost', 'memory-cost': 'memoryCost', 'gpu-cost': 'gpuCost' } as const
const OTHER_KEYS = ['currency', 'time-zone', 'tariffs']
const TARIFFS_MAX = 100

/**
 * ```yaml
 * data:
 *   cpu-cost: "0.04"
 *   currency: USD
 *   time-zone: Europe/Rome
 *   tariffs: |
 *     mon-fri 08:00-20:00 cpu-cost=0.06
 *     sat,sun 00:00-24:00 cpu-cost=0.02 gpu-cost=0.90   # the first match wins
 * ```
 */
export function readPriceList(data: Readonly<Record<string, string>>): PriceListReading {
  const problems = strangers(data)
  const prices = pricesOf(data, problems)
  const timeZone = data['time-zone'] ?? 'UTC'
  if (!isTimeZone(timeZone))
    problems.push(`time-zone is ${JSON.stringify(timeZone)}: use a name such as Europe/Rome`)
  const { currency } = data
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency))
    problems.push(`currency is ${JSON.stringify(currency)}: use a code such as USD`)
  const tariffs = tariffsOf(data.tariffs ?? '', problems)
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'list', list: { prices, ...(currency && { currency }), timeZone, tariffs } }
}

function strangers(data: Readonly<Record<string, string>>): string[] {
  return Object.keys(data)
    .filter((key) => !(key in KEYS) && !OTHER_KEYS.includes(key))
    .map(
      (key) =>
        `${key} is unknown: the keys are ${[...Object.keys(KEYS), ...OTHER_KEYS].join(', ')}`,
    )
}

function pricesOf(data: Readonly<Record<string, string>>, problems: string[]): Prices {
  const prices: Record<string, string> = {}
  for (const [key, name] of Object.entries(KEYS)) {
    const written = data[key]?.trim()
    if (written === undefined || written === '') continue
    const parsed = parseMoney(written)
    if (parsed.kind === 'ok') prices[name] = written
    else problems.push(`${key}: ${parsed.reason}`)
  }
  return prices
}

function tariffsOf(text: string, problems: string[]): Tariff[] {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '')
  if (lines.length > TARIFFS_MAX) problems.push(`tariffs has more than ${TARIFFS_MAX} lines`)
  return lines.slice(0, TARIFFS_MAX).flatMap((line) => {
    const read = parseTariff(line, (prices) => pricesOf(prices, problems))
    if (read.kind === 'tariff') return [read.tariff]
    problems.push(read.problem)
    return []
  })
}

function isTimeZone(name: string): boolean {
  return name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name)
}
