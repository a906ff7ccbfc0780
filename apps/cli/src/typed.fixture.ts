import { run } from './run.ts'
import type { Ended } from './test-cli.fixture.ts'

/** One call of `bourse` in this process: quick, and with nothing of our own environment. */
export async function typed(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** What a person types when asked. Absent: a script calls. */
  answer?: string,
): Promise<Ended> {
  const lines: string[] = []
  const notes: string[] = []
  const code = await run(argv, {
    out: (text) => lines.push(text),
    note: (text) => notes.push(text),
    env: { BOURSE_CONFIG: '', XDG_CONFIG_HOME: '/nonexistent', ...env },
    isColourful: false,
    now: Date.now,
    ...(answer !== undefined && { ask: async () => answer }),
    signal: new AbortController().signal,
  })
  return { code, out: lines.join('\n'), err: notes.join('\n') }
}
