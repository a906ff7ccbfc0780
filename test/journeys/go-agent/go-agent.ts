import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChild } from '@bourse/testkit'

/** What the agent says about one step: the answer as it came, and as Go's types read it. */
export type Line = Readonly<{
  step: string
  status: number
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: what Go made of the answer.
  read?: any
}>

const source = fileURLToPath(new URL('main.go', import.meta.url))

/** Built once for each version of its source; the cache is outside of the work tree. */
export async function buildGoAgent(): Promise<string> {
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const cache = join(tmpdir(), 'bourse-go-agent')
  const binary = join(cache, version)
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const half = `${binary}.${process.pid}`
  await run(['go', 'build', '-o', half, source])
  // Under its name only when it is whole: another run may look at the same moment.
  renameSync(half, binary)
  return binary
}

export async function runGoAgent(command: readonly string[]): Promise<Line[]> {
  const output = await run(command)
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function run(command: readonly string[]): Promise<string> {
  const child = startChild(command, { env: { CGO_ENABLED: '0' } })
  const { code } = await child.exited
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${child.output()}`)
  return child.output()
}
