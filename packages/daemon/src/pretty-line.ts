import { printable } from '@bourse/contract/printable'

type Line = Readonly<{
  /** ISO 8601. */
  time: string
  level: string
  message: string
  facts: Readonly<Record<string, unknown>>
}>

/** A log line for people, without control characters that could steer their terminal. */
export function prettyLine({ time, level, message, facts }: Line): string {
  const told = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${shown(value)}`)
  return [time.slice(11, 19), level.padEnd(5), message, ...told].map(printable).join(' ')
}

function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
