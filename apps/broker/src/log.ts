import { printableLines } from '@bourse/contract'
import { prettyLine } from '@bourse/daemon/pretty-line'
import pino, { type Logger } from 'pino'
import { isoOf } from './presentation/moments.ts'

type Settings = Readonly<{ level: string; format: 'json' | 'pretty' }>

/** One line an event: JSON for machines, or the same facts for people. */
export function createLog({ level, format }: Settings): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoOf(Date.now())}"`,
    formatters: { log: cutFacts },
  }
  if (format === 'pretty') return pino(options, { write: writePretty })
  return pino(options, createBufferedOutput())
}

/** A fact from outside may be a megabyte: cut it, so that a line stays a line. */
const FACT_LENGTH_MAX = 1_024

function cutFacts(facts: Record<string, unknown>): Record<string, unknown> {
  let cut: Record<string, unknown> | undefined
  for (const name in facts) {
    const value = facts[name]
    if (typeof value !== 'string' || value.length <= FACT_LENGTH_MAX) continue
    cut ??= { ...facts }
    cut[name] = `${value.slice(0, FACT_LENGTH_MAX)}…`
  }
  return cut ?? facts
}

/** A system call for each line would cost more than the line: those of a turn leave together. */
function createBufferedOutput() {
  let buffered = ''
  process.once('exit', flush)
  return { write }

  function write(line: string): void {
    if (buffered === '') setImmediate(flush)
    // Makes control characters harmless on a terminal; JSON readers see the same text.
    buffered += printableLines(line)
  }

  function flush(): void {
    const lines = buffered
    buffered = ''
    if (lines !== '') process.stdout.write(lines)
  }
}

function writePretty(json: string): void {
  // Our own logger wrote it a moment ago.
  const { level, time, msg, err, ...facts } = JSON.parse(json) as Record<string, unknown>
  const name = pino.levels.labels[Number(level)] ?? ''
  const line = prettyLine({ time: String(time), level: name, message: String(msg), facts })
  process.stdout.write(`${line}\n`)
  if (err && typeof err === 'object' && 'stack' in err)
    process.stdout.write(`${printableLines(String(err.stack))}\n`)
}
