import { formatMoney, type Money, parseMoney } from './money.ts'
import { quote } from './quote.ts'

/** What one unit of each other currency is worth in the broker's, in billionths of its unit. */
export type Rates = ReadonlyMap<string, Money>

export type ParsedRates = Readonly<{ kind: 'ok'; rates: Rates } | { kind: 'bad'; reason: string }>

/** There are fewer currencies in the world. */
const RATES_MAX = 256
const BILLION = 10n ** 9n
const FORM = /^([^\s=,#]{1,16})\s*=\s*([\d.]+)$/

/** Reads `EUR=1.08,GBP=1.27`, with commas or one on each line; `#` begins a comment. */
export function parseRates(text: string): ParsedRates {
  const rates = new Map<string, Money>()
  const pairs = text
    .replaceAll(/#.*$/gm, '')
    .split(/[,\n]/)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  if (pairs.length > RATES_MAX) return bad(`there are more than ${RATES_MAX} rates`)
  for (const pair of pairs) {
    const [, currency = '', decimal = ''] = FORM.exec(pair) ?? []
    const parsed = parseMoney(decimal)
    if (parsed.kind === 'bad' || parsed.money === 0n)
      return bad(`${quote(pair)} is not a rate: write EUR=1.08 if one EUR is worth 1.08`)
    if (rates.has(currency)) return bad(`${quote(currency)} has two rates`)
    rates.set(currency, parsed.money)
  }
  return { kind: 'ok', rates }
}

/** As `parseRates` reads them, by name: equal rates have equal texts. */
export function formatRates(rates: Rates): string {
  return Array.from(rates, ([currency, rate]) => `${currency}=${formatMoney(rate)}`)
    .toSorted()
    .join(',')
}

/** Rounded up to a billionth: what is not free stays so. */
export function convertMoney(money: Money, rate: Money): Money {
  return (money * rate + BILLION - 1n) / BILLION
}

function bad(reason: string): ParsedRates {
  return { kind: 'bad', reason }
}
