import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

type Options = Readonly<{
  stdin?: string
  signal?: AbortSignal
  /** How a failure names it; default the whole command. */
  title?: string
}>

/** Runs it to its end and returns its output. A failure is thrown with its error output. */
export async function runProgram(
  command: readonly string[],
  { stdin = '', signal, title = command.join(' ') }: Options = {},
): Promise<string> {
  const [file = '', ...args] = command
  const started = spawn(file, args, { killSignal: 'SIGKILL', ...(signal && { signal }) })
  // Some commands end without reading what they were given.
  started.stdin.on('error', () => {})
  started.stdin.end(stdin)
  const [out, err, code] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    new Promise<number | null>((resolve, reject) => {
      started.once('error', reject)
      started.once('close', resolve)
    }),
  ])
  if (code !== 0) throw new Error(`${title}: ${err.trim() || out.trim()}`)
  return out
}
