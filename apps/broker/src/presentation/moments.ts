/** More seconds than the moments of one batch and their expiries have. */
const SECONDS_MAX = 256

/** Printing a date takes a microsecond, and most answers have three of the same few seconds. */
const printed = new Map<number, string>()

/** RFC 3339, as Go's time.Time reads it. */
export function isoOf(at: number): string {
  const second = Math.floor(at / 1_000)
  const milliseconds = Math.floor(at - 1_000 * second)
  return `${printed.get(second) ?? print(second)}.${`${milliseconds}`.padStart(3, '0')}Z`
}

function print(second: number): string {
  const text = new Date(1_000 * second).toISOString().slice(0, -'.000Z'.length)
  if (printed.size >= SECONDS_MAX) printed.clear()
  printed.set(second, text)
  return text
}
