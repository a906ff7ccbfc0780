import { forTerminal } from './printable-answers.ts'

/** The person or script at the other end. */
export type Terminal = {
  /** A line, or several, of what was asked for. */
  out(text: string): void
  /** What is not part of the answer: complaints, hints, progress. */
  note(text: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the answer is read by a person who sees colours. */
  readonly isColourful: boolean
  now(): number
  /** Asks a person, and returns what was typed. Absent: a script calls, which cannot answer. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}

export function openTerminal(process: NodeJS.Process): Terminal {
  const { env, stdout, stderr } = process
  let ending: AbortController | undefined
  // `bourse watch | head`: the reader has gone, so there is nothing more to do.
  stdout.on('error', () => process.exit(0))
  return {
    out: (text) => stdout.write(`${forTerminal(text)}\n`),
    note: (text) => stderr.write(`${forTerminal(text)}\n`),
    env,
    isColourful: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    now: Date.now,
    get ask() {
      // Only here: most verbs never open their input.
      if (!process.stdin.isTTY || !stderr.isTTY) return undefined
      return (question: string) => ask(process, forTerminal(question))
    },
    get signal() {
      // Only verbs that read the signal handle Ctrl-C; the others simply end.
      ending ??= abortOnSignals(process)
      return ending.signal
    },
  }
}

async function ask({ stdin, stderr }: NodeJS.Process, question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    // Ctrl-C and Ctrl-D: no answer.
    lines.once('close', () => resolve(''))
    lines.question(question, (answer) => {
      resolve(answer.trim())
      lines.close()
    })
  })
}

function abortOnSignals(process: NodeJS.Process): AbortController {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  // A parent with a channel, such as the demo, ends its broker by closing it. A broker that was
  // started by hand has no channel.
  process.once('disconnect', () => ending.abort())
  process.channel?.unref()
  return ending
}
