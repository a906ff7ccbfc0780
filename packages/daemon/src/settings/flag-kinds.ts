import { parseDuration, parseRates, type Rates } from '@bourse/domain/quantity'
import type { FlagKind, Parsed } from './flag-table.ts'

/** Where to listen. */
export type BindAddress = Readonly<{ host?: string; port: number }>

/** A comma-separated list, or a file that is read again whenever it changes. */
export type ListSource =
  | Readonly<{ kind: 'list'; items: readonly string[] }>
  | Readonly<{ kind: 'file'; path: string }>

/** Rates between currencies, or a file of them that is read again whenever it changes. */
export type RatesSource =
  | Readonly<{ kind: 'rates'; rates: Rates }>
  | Readonly<{ kind: 'file'; path: string }>

const CLUSTER_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

export const good = <T>(value: T): Parsed<T> => ({ kind: 'good', value })
export const bad = (allowed: string): Parsed<never> => ({ kind: 'bad', allowed })

export function text(placeholder: string): FlagKind<string> {
  return {
    placeholder,
    parse: (written) => (written.trim() === '' ? bad('text that is not empty') : good(written)),
  }
}

export const onOff: FlagKind<boolean> = {
  placeholder: '',
  parse(written) {
    if (['true', '1', 't', 'TRUE', 'True'].includes(written)) return good(true)
    if (['false', '0', 'f', 'FALSE', 'False'].includes(written)) return good(false)
    return bad('true or false')
  },
}

export function wholeNumber(limits: { min: number; max: number }): FlagKind<number> {
  const allowed = `a whole number from ${limits.min} to ${limits.max}`
  return {
    placeholder: 'NUMBER',
    parse(written) {
      const value = /^\d{1,15}$/.test(written) ? Number(written) : Number.NaN
      return value >= limits.min && value <= limits.max ? good(value) : bad(allowed)
    },
  }
}

/** A duration (`90s`, `1h30m`, `7d`), in milliseconds. */
export function duration(limits: { min: string }): FlagKind<number> {
  const least = parseDuration(limits.min)
  const minMs = least.kind === 'ok' ? least.durationMs : 0
  return {
    placeholder: 'DURATION',
    parse(written) {
      const parsed = parseDuration(written)
      if (parsed.kind === 'ok' && parsed.durationMs >= minMs) return good(parsed.durationMs)
      return bad(`a duration such as 90s, 10m, 1h30m or 7d, at least ${limits.min}`)
    },
  }
}

export function oneOf<const T extends string>(...choices: readonly T[]): FlagKind<T> {
  return {
    placeholder: choices.join('|'),
    choices,
    parse(written) {
      const choice = choices.find((one) => one === written)
      return choice === undefined ? bad(spoken(choices)) : good(choice)
    },
  }
}

/** One or more of the choices, comma-separated, each once. */
export function someOf<const T extends string>(...choices: readonly T[]): FlagKind<readonly T[]> {
  return {
    placeholder: choices.join(','),
    parse(written) {
      const words = splitList(written)
      const known = choices.filter((choice) => words.includes(choice))
      const allKnown = words.every((word) => choices.some((choice) => choice === word))
      return allKnown && known.length > 0
        ? good(known)
        : bad(`one or more of ${choices.join(', ')}`)
    },
  }
}

/** `:8081`, `host:port`, `[::1]:8081`, or `0` for off, as in controller-runtime. */
export const bindAddress: FlagKind<BindAddress | 'off'> = {
  placeholder: 'ADDRESS',
  parse(written) {
    if (written === '0') return good('off')
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(written)
    const port = Number(match?.[3] ?? Number.NaN)
    if (!match || !(port <= 65_535)) return bad(':PORT, HOST:PORT, or 0 for off')
    const host = match[1] ?? match[2]
    return good(host ? { host, port } : { port })
  },
}

/** Cluster ids separated by commas, or `@FILE` with one on each line. */
export const clusterList: FlagKind<ListSource> = {
  placeholder: 'ID,ID…|@FILE',
  parse(written) {
    const file = fileIn(written)
    if (file) return good(file)
    const items = splitList(written)
    return items.length > 0 && items.every(isClusterId)
      ? good({ kind: 'list', items })
      : bad('cluster ids (DNS-1123 labels of at most 63 characters) or @FILE')
  },
}

export const currency: FlagKind<string> = {
  placeholder: 'CODE',
  parse: (written) =>
    /^[A-Z]{3}$/.test(written) ? good(written) : bad('a three-letter code such as USD'),
}

/** `EUR=1.08,GBP=1.27`, or `@FILE` with one on each line. */
export const rates: FlagKind<RatesSource> = {
  placeholder: 'CODE=RATE,…|@FILE',
  parse(written) {
    const file = fileIn(written)
    if (file) return good(file)
    const parsed = parseRates(written)
    return parsed.kind === 'ok' && parsed.rates.size > 0
      ? good({ kind: 'rates', rates: parsed.rates })
      : bad('what one unit of another currency is worth, such as EUR=1.08,GBP=1.27, or @FILE')
  },
}

export function isClusterId(id: string): boolean {
  return CLUSTER_ID.test(id)
}

export function splitList(written: string): string[] {
  return written
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function fileIn(written: string) {
  const isFile = written.startsWith('@') && written.length > 1
  return isFile ? ({ kind: 'file', path: written.slice(1) } as const) : undefined
}

function spoken(choices: readonly string[]): string {
  const last = choices.at(-1) ?? ''
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`
}
