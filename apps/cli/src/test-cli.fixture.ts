import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const BIN = fileURLToPath(new URL('../../../bin/', import.meta.url))

export type Ended = Readonly<{ code: number | null; out: string; err: string }>

/** A real process, as a person would start it; nothing of our own environment leaks in. */
export async function bourse(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = 'bourse',
): Promise<Ended> {
  const child = spawn(BIN + program, argv, {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.withResolvers<number | null>()
  child.once('close', ended.resolve)
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended.promise,
  ])
  return { code, out, err }
}
