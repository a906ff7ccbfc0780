import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export type LiqoctlReply =
  /** `output` is what it was asked for; `lines` is what it told of its progress. */
  | Readonly<{ kind: 'done'; output: string; lines: readonly LiqoctlLine[] }>
  | Readonly<{
      kind: 'failed'
      reason: 'LiqoctlMissing' | 'LiqoctlTimedOut' | 'LiqoctlFailed'
      message: string
      lines: readonly LiqoctlLine[]
    }>

/** Rejects only when the signal fires, with its reason. */
export type RunLiqoctl = (args: readonly string[], signal: AbortSignal) => Promise<LiqoctlReply>

type Options = Readonly<{
  /** A path, or a name to be found in PATH. */
  binary: string
  /** Of this cluster; absent: as liqoctl finds it, from a pod its service account. */
  kubeconfig?: string | undefined
  timeoutMs: number
  /** Its own time-out ends first, and tells what it was waiting for. */
  killLaterMs?: number
}>

const KILL_LATER_MS = 10_000

/** Runs liqoctl as a process of its own, which does not outlive the signal. */
export function createRunLiqoctl(options: Options): RunLiqoctl {
  const { binary, kubeconfig, timeoutMs, killLaterMs = KILL_LATER_MS } = options
  const own = kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]

  return async (args, signal) => {
    signal.throwIfAborted()
    const tooLate = AbortSignal.timeout(timeoutMs + killLaterMs)
    const child = spawn(binary, [...args, `--timeout=${timeoutMs}ms`, ...own], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, tooLate]),
      killSignal: 'SIGKILL',
    })
    const ended = new Promise<Ending>((resolve) => {
      child.once('error', (error) => resolve({ error }))
      child.once('close', (code) => resolve({ code }))
    })
    const [output, told, ending] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      ended,
    ])
    signal.throwIfAborted()
    const lines = liqoctlLines(told)
    if ('code' in ending && ending.code === 0) return { kind: 'done', output, lines }
    if (tooLate.aborted || GAVE_UP.test(lastWords(lines))) return timedOut(args, timeoutMs, lines)
    return { kind: 'failed', ...whyOf(ending, binary, lines), lines }
  }
}

/** How it says that its own time is over. */
const GAVE_UP = /timed out waiting for the condition|context deadline exceeded/

type Ending = Readonly<{ error: Error }> | Readonly<{ code: number | null }>

function whyOf(ending: Ending, binary: string, lines: readonly LiqoctlLine[]) {
  if (!('error' in ending))
    return { reason: 'LiqoctlFailed', message: `liqoctl: ${lastWords(lines)}` } as const
  return {
    reason: 'LiqoctlMissing',
    message:
      `${binary} cannot be run (${ending.error.message}): put liqoctl of Liqo's version into ` +
      "the agent's PATH, or name it with --liqoctl.",
  } as const
}

function timedOut(args: readonly string[], timeoutMs: number, lines: readonly LiqoctlLine[]) {
  const message = `liqoctl ${args[0]} did not end within ${timeoutMs / 1_000} s: ${lastWords(lines)}`
  return { kind: 'failed', reason: 'LiqoctlTimedOut', message, lines } as const
}

export type LiqoctlLine = Readonly<{
  level: 'progress' | 'info' | 'warning' | 'error'
  text: string
}>

const LEVELS = { INFO: 'info', WARN: 'warning', ERRO: 'error' } as const
const MARKED = /^(INFO|WARN|ERRO):\s*(?:error: )?(.*)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with that character.
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g

/** What liqoctl wrote for people: its spinner wipes a line before it writes the next. */
export function liqoctlLines(output: string): readonly LiqoctlLine[] {
  return output
    .replaceAll(COLOUR, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(lineOf)
}

function lineOf(line: string): LiqoctlLine {
  const [, mark, text = line] = MARKED.exec(line) ?? []
  // Anything else tells what it is about to do.
  const level = mark === undefined ? 'progress' : LEVELS[mark as keyof typeof LEVELS]
  return { level, text }
}

/** The last thing that went wrong, or else the last thing that was said at all. */
function lastWords(lines: readonly LiqoctlLine[]): string {
  const wrong = lines.findLast(({ level }) => level === 'error')
  return (wrong ?? lines.at(-1))?.text ?? 'it said nothing'
}
