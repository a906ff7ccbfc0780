import { quote } from './quote.ts'

/** What amounts are counted in: thousandths (cpu), or whole bytes and pieces. */
export type Unit = 'milli' | 'whole'

export type ParsedQuantity = Readonly<
  | { kind: 'ok'; amount: bigint /** Whether nothing was rounded away or added. */; exact: boolean }
  | { kind: 'bad'; reason: string }
>

/** contract: quantities below 2^63 */
const AMOUNT_LIMIT = 2n ** 63n
const TEXT_LENGTH_MAX = 64
/** Far beyond any amount below the limit, and small enough to compute with. */
const EXPONENT_MAX = 99

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const

type Ratio = Readonly<{ over: bigint; under: bigint }>

const SCALES: ReadonlyMap<string, Ratio> = new Map([
  ['n', { over: 1n, under: 10n ** 9n }],
  ['u', { over: 1n, under: 10n ** 6n }],
  ['m', { over: 1n, under: 1000n }],
  ...BINARY.map((suffix, step) => [suffix, { over: 1024n ** BigInt(step), under: 1n }] as const),
  ...DECIMAL.map((suffix, step) => [suffix, { over: 1000n ** BigInt(step), under: 1n }] as const),
])

/** Sign, digits, digits after the point, then an exponent or a suffix; `2E` is two exa. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([a-zA-Z]*))$/

/** Reads a Kubernetes quantity exactly: rationals of integers, never floating point. */
export function parseQuantity(
  text: string,
  { unit, round }: Readonly<{ unit: Unit; round: 'up' | 'down' }>,
): ParsedQuantity {
  if (text === '') return bad('a quantity is missing: write an amount such as "500m" or "4Gi"')
  if (text.length > TEXT_LENGTH_MAX)
    return bad(`${quote(text)} is longer than ${TEXT_LENGTH_MAX} characters`)
  const form = FORM.exec(text)
  if (form === null) return notAQuantity(text)
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = form
  if (whole === '' && fraction === '') return notAQuantity(text)
  if (sign === '-') return bad(`${quote(text)} is negative: an amount is zero or more`)
  const scale = exponent === undefined ? SCALES.get(suffix) : powerOfTen(exponent)
  if (scale === undefined)
    return bad(
      exponent === undefined
        ? `${quote(text)} has an unknown suffix ${quote(suffix)}: use m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi or Ei`
        : `${quote(text)} has an exponent beyond ±${EXPONENT_MAX}`,
    )

  const over = BigInt(whole + fraction) * scale.over * (unit === 'milli' ? 1000n : 1n)
  const under = fraction === '' ? scale.under : 10n ** BigInt(fraction.length) * scale.under
  const { amount, exact } = divided(over, under, round)
  if (amount >= AMOUNT_LIMIT) return bad(`${quote(text)} is too large: amounts stay below 2^63`)
  return { kind: 'ok', amount, exact }
}

function divided(over: bigint, under: bigint, round: 'up' | 'down') {
  // Nearly always, and long divisions take long.
  if (under === 1n) return { amount: over, exact: true }
  const exact = over % under === 0n
  return { amount: over / under + (round === 'up' && !exact ? 1n : 0n), exact }
}

/**
 * The canonical text of an amount: `2` or `1500m` for thousandths; for whole units the shortest
 * exact form, binary where two are equally short.
 */
export function formatQuantity(amount: bigint, unit: Unit): string {
  if (amount < 0n) return `-${formatQuantity(-amount, unit)}`
  if (unit === 'milli') return amount % 1000n === 0n ? `${amount / 1000n}` : `${amount}m`
  const binary = shortened(amount, 1024n, BINARY)
  const decimal = shortened(amount, 1000n, DECIMAL)
  return decimal.length < binary.length ? decimal : binary
}

/** Every exact division takes away more digits than a suffix adds, so the last one is shortest. */
function shortened(amount: bigint, base: bigint, suffixes: readonly string[]): string {
  let rest = amount
  let step = 0
  while (rest !== 0n && step < suffixes.length - 1 && rest % base === 0n) {
    rest /= base
    step += 1
  }
  return `${rest}${suffixes[step]}`
}

/** Judged by value before anything is raised to it: 10^999999999 would take all memory. */
function powerOfTen(exponent: string): Ratio | undefined {
  const power = Number(exponent)
  if (Math.abs(power) > EXPONENT_MAX) return undefined
  return power >= 0
    ? { over: 10n ** BigInt(power), under: 1n }
    : { over: 1n, under: 10n ** BigInt(-power) }
}

function notAQuantity(text: string): ParsedQuantity {
  return bad(`${quote(text)} is not a quantity: write an amount such as "500m", "4Gi" or "0.1"`)
}

function bad(reason: string): ParsedQuantity {
  return { kind: 'bad', reason }
}
