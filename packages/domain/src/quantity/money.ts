import { quote } from './quote.ts'

/** An amount of money in billionths (10⁻⁹) of the currency's unit. */
export type Money = bigint

export type ParsedMoney = Readonly<{ kind: 'ok'; money: Money } | { kind: 'bad'; reason: string }>

const DECIMALS = 9
const BILLION = 10n ** 9n
/** A price of a billion an hour is a typing error in any currency. */
const MONEY_LIMIT = BILLION * BILLION
const FORM = /^(\d{1,32})(?:\.(\d{1,32}))?$/

/** Reads a decimal such as `0.045`: money is never a floating-point number. */
export function parseMoney(text: string): ParsedMoney {
  if (text.startsWith('-')) return bad(`${quote(text)} is negative: a price is zero or more`)
  const [, whole, fraction = ''] = FORM.exec(text) ?? []
  if (whole === undefined)
    return bad(`${quote(text)} is not an amount of money: write a decimal such as "0.045"`)
  if (fraction.length > DECIMALS)
    return bad(`${quote(text)} has more than ${DECIMALS} digits after the point`)
  const money = BigInt(whole) * BILLION + BigInt(fraction.padEnd(DECIMALS, '0'))
  if (money >= MONEY_LIMIT)
    return bad(`${quote(text)} is too large: a price stays below ${BILLION}`)
  return { kind: 'ok', money }
}

/** The shortest decimal of an amount: `0.045`, `12`. */
export function formatMoney(money: Money): string {
  if (money < 0n) return `-${formatMoney(-money)}`
  const fraction = `${money % BILLION}`.padStart(DECIMALS, '0').replace(/0+$/, '')
  return fraction === '' ? `${money / BILLION}` : `${money / BILLION}.${fraction}`
}

function bad(reason: string): ParsedMoney {
  return { kind: 'bad', reason }
}
