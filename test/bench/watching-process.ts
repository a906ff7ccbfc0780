import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Items,
  type MakeshiftApiServer,
  startMakeshiftApiServer,
} from '@bourse/testkit/makeshift-api-server'
import { build } from 'esbuild'
import type { Stage } from './benchmark.ts'

export type WatchOrder = Readonly<{ credentials: MakeshiftApiServer['credentials'] }>
export type WatchReport = Readonly<{ nodes: number; pods: number }>

export type Watching = {
  pid: number
  server: MakeshiftApiServer
  /** What it counted first. */
  counted: WatchReport
  startMs: number
  /** How often it has measured since. */
  measurements(): Promise<number>
  stop(): void
}

const NAME = 'api-server'

/** An agent's watches, bundled as they are shipped, in a process of their own. */
export async function startWatching(
  { certificates, workDir }: Stage,
  lists: Readonly<{ nodes: Items; pods: Items }>,
): Promise<Watching> {
  const leaf = { commonName: NAME, usages: ['server', 'client'], ip: ['127.0.0.1'] } as const
  const server = await startMakeshiftApiServer(
    await certificates.authority.forLeaf(NAME, leaf),
    lists,
  )
  const order: WatchOrder = { credentials: server.credentials }
  const script = await bundled(workDir)
  const startedAt = performance.now()
  // As bin/bourse starts an agent.
  const execArgv = ['--max-semi-space-size=2']
  const env = { ...process.env, MALLOC_ARENA_MAX: '2' }
  const child = fork(script, [JSON.stringify(order)], { execArgv, env })
  const counted = await answerOf<WatchReport>(child)
  return {
    pid: child.pid ?? 0,
    server,
    counted,
    startMs: performance.now() - startedAt,
    async measurements() {
      const answer = answerOf<{ measurements: number }>(child)
      child.send('how often?')
      return (await answer).measurements
    },
    stop() {
      child.kill()
      server.close()
    },
  }
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(
    ([code]) => {
      throw new Error(`The watching process ended with ${code}.`)
    },
    () => undefined as never,
  )
  const [answer] = await Promise.race([once(child, 'message'), exit])
  ended.abort()
  return answer
}

/** Run from its sources, it would also hold what strips their types. */
async function bundled(workDir: string): Promise<string> {
  const outfile = join(workDir, 'capacity-process.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('capacity-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  return outfile
}
