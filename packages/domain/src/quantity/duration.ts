import { quote } from './quote.ts'

export type ParsedDuration = Readonly<
  { kind: 'ok'; durationMs: number } | { kind: 'bad'; reason: string }
>

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n], // the micro sign
  ['\u03bcs', 1_000n], // the Greek letter; Go takes both
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n], // Go has none; a day is 24 hours
])
const NANOSECONDS_PER_MS = 1_000_000n
/** Go counts durations in 63 bits of nanoseconds: 292 years. */
const NANOSECONDS_LIMIT = 2n ** 63n
const TEXT_LENGTH_MAX = 64

const STEP = /(\d*)(?:\.(\d*))?([^\d.]*)/y

/** Reads a Go duration (`1h30m`, `1.5h`) or days (`7d`); what is finer than a millisecond rounds up. */
export function parseDuration(text: string): ParsedDuration {
  if (text === '') return bad('a duration is missing: write one such as "1h30m"')
  if (text.length > TEXT_LENGTH_MAX)
    return bad(`${quote(text)} is longer than ${TEXT_LENGTH_MAX} characters`)
  if (text.startsWith('-'))
    return bad(`${quote(text)} is negative: write a duration such as "1h30m"`)
  const steps = text.startsWith('+') ? text.slice(1) : text
  if (steps === '0') return { kind: 'ok', durationMs: 0 } // the one length that needs no unit
  const total = sumOfSteps(steps)
  if (typeof total === 'string') return bad(`${quote(text)} ${total}`)
  if (total >= NANOSECONDS_LIMIT) return bad(`${quote(text)} is longer than 292 years`)
  const durationMs = Number((total + NANOSECONDS_PER_MS - 1n) / NANOSECONDS_PER_MS)
  return { kind: 'ok', durationMs }
}

/** Nanoseconds, or what is wrong with the text. */
function sumOfSteps(text: string): bigint | string {
  let total = 0n
  let at = 0
  do {
    STEP.lastIndex = at
    const [step = '', whole = '', fraction = '', unit = ''] = STEP.exec(text) ?? []
    if (whole === '' && fraction === '') return 'is not a duration: write one such as "1h30m"'
    if (unit === '') return 'lacks a unit: use d, h, m, s or ms'
    const nanoseconds = NANOSECONDS.get(unit)
    if (nanoseconds === undefined) return `has an unknown unit ${quote(unit)}: use d, h, m, s or ms`
    const under = 10n ** BigInt(fraction.length)
    total += (BigInt(whole + fraction) * nanoseconds + under - 1n) / under
    at += step.length
  } while (at < text.length)
  return total
}

/** The same duration without days, which a Go program cannot read; what is wrong stays as it is. */
export function withoutDays(text: string): string {
  const parsed = text.includes('d') ? parseDuration(text) : undefined
  return parsed?.kind === 'ok' ? formatDuration(parsed.durationMs) : text
}

/** Go's way without the empty tail: `1h30m`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`
  if (durationMs === 0) return '0s'
  if (durationMs < 1000) return `${durationMs}ms`
  const hours = Math.floor(durationMs / 3_600_000)
  const minutes = Math.floor((durationMs % 3_600_000) / 60_000)
  const milliseconds = durationMs % 60_000
  return [
    hours > 0 ? `${hours}h` : '',
    minutes > 0 ? `${minutes}m` : '',
    milliseconds > 0 ? `${milliseconds / 1000}s` : '',
  ].join('')
}

function bad(reason: string): ParsedDuration {
  return { kind: 'bad', reason }
}
