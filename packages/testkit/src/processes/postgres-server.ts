import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPart } from './part.ts'
import { quietPorts } from './quiet-ports.ts'

/** A real PostgreSQL server on loopback, with a cluster of its own. */
export type TestPostgres = {
  url: string
  /** Ends it (`fast`: politely, `immediate`: as a crash), lets `meanwhile` happen, starts it. */
  restart(how: 'fast' | 'immediate', meanwhile?: () => Promise<void>): Promise<void>
  /** Between two starts: keeps a copy of its whole directory, as a volume snapshot does. */
  keepCopy(): Promise<void>
  /** Between two starts: puts that copy in the place of what is there. */
  putCopyBack(): Promise<void>
  stop(): Promise<void>
}

const DEBIAN_ROOT = '/usr/lib/postgresql'
const USER = 'postgres'
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** Makes a cluster in a temporary directory and starts a server on it. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = binaries()
  const dir = mkdtempSync(join(tmpdir(), 'bourse-postgres-'))
  const dataDir = join(dir, 'data')
  const as = unprivileged(dir)
  const [port = 0] = await quietPorts(1)
  const made = ['-D', dataDir, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const [first = '', ...rest] = [...as, join(bin, 'initdb'), ...made]
  execFileSync(first, rest, { stdio: 'pipe', cwd: dir })
  const server = createPart({
    name: 'PostgreSQL',
    command: [
      ...[...as, join(bin, 'postgres'), '-D', dataDir, '-k', dir],
      ...['-p', String(port), '-h', '127.0.0.1', '-c', 'shared_buffers=16MB'],
    ],
    cwd: dir,
    isReady: () => acceptsClients(bin, port),
  })
  await server.start()
  const copyDir = join(dir, 'copy')

  return {
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    restart,
    keepCopy: () => restart('fast', async () => replaceDirectory(copyDir, dataDir)),
    putCopyBack: () => restart('fast', async () => replaceDirectory(dataDir, copyDir)),
    async stop() {
      await server.end(signals.immediate)
      rmSync(dir, { recursive: true, force: true })
    },
  }

  async function restart(how: keyof typeof signals, meanwhile?: () => Promise<void>) {
    await server.end(signals[how])
    await meanwhile?.()
    await server.start()
  }
}

/** With owners and rights, which PostgreSQL looks at. */
function replaceDirectory(path: string, by: string): void {
  rmSync(path, { recursive: true, force: true })
  execFileSync('cp', ['--archive', by, path])
}

function binaries(): string {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).toSorted() : []
  const newest = versions.at(-1)
  if (newest === undefined)
    throw new Error('These tests need PostgreSQL: install the package postgresql.')
  return join(DEBIAN_ROOT, newest, 'bin')
}

/** PostgreSQL refuses to run as root: then it runs as its own user. */
function unprivileged(dir: string): string[] {
  if (process.getuid?.() !== 0) return []
  const idOf = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }))
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  chownSync(dir, uid, gid)
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
}

/** It listens before it has recovered, and accepts clients only afterwards. */
async function acceptsClients(bin: string, port: number): Promise<boolean> {
  const asked = spawn(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)])
  const [code] = await once(asked, 'close')
  return code === 0
}
