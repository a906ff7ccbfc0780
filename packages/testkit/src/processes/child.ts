import { type ChildProcess, spawn } from 'node:child_process'

export type Exit = Readonly<{ code: number | null; signal: NodeJS.Signals | null }>

export type Child = {
  pid: number
  /** What it wrote to both its outputs, the last part of it. */
  output(): string
  /** Undefined while it runs. */
  exit(): Exit | undefined
  exited: Promise<Exit>
  kill(signal: NodeJS.Signals): void
}

const OUTPUT_LENGTH_MAX = 4_000_000

type Options = Readonly<{ env?: Readonly<Record<string, string>>; cwd?: string }>

/** A process that ends with the tests, even if they crash. */
export function startChild(command: readonly string[], { env = {}, cwd }: Options = {}): Child {
  const [file = '', ...args] = command
  const started = spawn(file, args, {
    // Its own group, so that a kill reaches its children.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd !== undefined && { cwd }),
  })
  const { pid } = started
  if (pid === undefined) throw new Error(`${file} could not be started.`)
  const collect = collectOutput(started)
  const guard = startGuard(pid)

  let exit: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    started.once('close', (code, signal) => {
      exit = { code, signal }
      guard.kill('SIGKILL')
      resolve(exit)
    })
  })
  return { pid, output: collect, exit: () => exit, exited, kill: (signal) => send(pid, signal) }
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-OUTPUT_LENGTH_MAX)
    })
  return () => text
}

/**
 * Waits on a pipe that closes when we die, for any reason, and then kills the group. Our own process
 * could not do that after a crash.
 */
function startGuard(pid: number): ChildProcess {
  const script = 'read -r _; kill -9 -"$1" 2>/dev/null'
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return guard
}

/** SIGKILL is for the whole group; other signals are for the process alone, which passes them on. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(signal === 'SIGKILL' ? -pid : pid, signal)
  } catch (error) {
    // It has just ended by itself; its last output is still to be read.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
