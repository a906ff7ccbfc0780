import { printable } from '@bourse/contract/printable'
import { prettyLine } from '@bourse/daemon/pretty-line'

type Facts = Readonly<Record<string, unknown>>
type Tell = { (facts: Facts, message: string): void; (message: string): void }

/** The log of the agent's parts: one line per decision, with its ids. */
export type Log = Readonly<{ debug: Tell; info: Tell; warn: Tell; error: Tell }>

type Level = keyof typeof LEVELS
type Settings = Readonly<{
  level: Level | 'trace'
  format: 'json' | 'pretty'
  write?(line: string): void
  now?(): Date
}>

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const

/**
 * Writes lines like the broker's log, without its library, which would take a tenth of an agent's
 * memory.
 */
export function createLog({ level, format, ...ports }: Settings): Log {
  const { write = writeOut, now = () => new Date() } = ports
  const least = level === 'trace' ? 0 : LEVELS[level]
  const print = format === 'pretty' ? pretty : json

  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }

  function at(name: Level): Tell {
    if (LEVELS[name] < least) return () => {}
    return (first: Facts | string, message?: string) => {
      const facts = typeof first === 'string' ? {} : first
      const said = typeof first === 'string' ? first : (message ?? '')
      write(`${print({ name, time: now().toISOString(), said, facts })}\n`)
    }
  }
}

/** The same log with the cluster in every line. */
export function ofCluster(log: Log, clusterID: string): Log {
  const named =
    (tell: Tell): Tell =>
    (first: Facts | string, message?: string) =>
      typeof first === 'string'
        ? tell({ clusterID }, first)
        : tell({ clusterID, ...first }, message ?? '')
  const { debug, info, warn, error } = log
  return { debug: named(debug), info: named(info), warn: named(warn), error: named(error) }
}

type Line = Readonly<{ name: Level; time: string; said: string; facts: Facts }>

function json({ name, time, said, facts }: Line): string {
  const { err, ...rest } = facts
  return printable(
    JSON.stringify({ level: LEVELS[name], time, ...rest, ...causeOf(err), msg: said }),
  )
}

function pretty({ name, time, said, facts }: Line): string {
  const { err, ...rest } = facts
  const why = err instanceof Error && !isBug(err) ? { err: err.message } : causeOf(err)
  return prettyLine({ time, level: name, message: said, facts: { ...rest, ...why } })
}

/** Stacks only for bugs; for outside faults the message says enough. */
function causeOf(err: unknown): Facts {
  if (!(err instanceof Error)) return err === undefined ? {} : { err }
  const { name: type, message, stack } = err
  return { err: { type, message, ...(isBug(err) && { stack }) } }
}

/** Plain errors, without a name of their own. */
function isBug({ name }: Error): boolean {
  return /^(Error|TypeError|RangeError|ReferenceError|SyntaxError|AssertionError)$/.test(name)
}

function writeOut(line: string): void {
  process.stdout.write(line)
}
