import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'

type Ports = Readonly<{
  flags: readonly string[]
  logFile: string
  /** Ctrl-C reaches the broker as well: its end is then expected. */
  signal: AbortSignal
  /** The broker ended unasked and is restarted on the same data. */
  onRestart(how: string): void
}>

const RESTART_AFTER_MS = 1_500
const RESTARTS_MAX = 100
/** A broker that exits so soon after a restart (a port in use) would do so again. */
const QUICK_DEATH_MS = 10_000
/** An error is a line or two; a broker that runs for days may print many. */
const COMPLAINT_LENGTH_MAX = 2_000
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** The broker as a process of its own, so that it can be killed and watched coming back. */
export function superviseBroker({ flags, logFile, signal: stopping, onRestart }: Ports) {
  // Another demo may run on this directory: its log must not get our lines.
  const log = createHeldLog(logFile)
  let child = launch()
  let isStopping = false
  let hasBeenReady = false
  let restarts = 0
  let giveUp: (cause: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  failed.catch(() => {}) // The caller races against it; without a race it must not be unhandled.

  return { stop, failed, pid: () => child.pid, openLog: log.open, wasReady }

  function launch(): ChildProcess {
    const startedAt = performance.now()
    const args = ['--disable-warning=ExperimentalWarning', main, 'broker', ...flags]
    // The channel closes however we end, and the broker then ends too.
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    started.stdout?.pipe(log.sink, { end: false })
    started.stderr?.pipe(log.sink, { end: false })
    let complaint = ''
    started.stderr?.setEncoding('utf8').on('data', (part: string) => {
      complaint = (complaint + part).slice(-COMPLAINT_LENGTH_MAX)
    })
    // Not `exit`: its last output may not have arrived by then.
    started.once('close', (code, signal) => {
      if (isStopping || stopping.aborted) return
      const how = signal ?? `exit code ${code}`
      const end = { code, signal, hasBeenReady, aliveMs: performance.now() - startedAt }
      if (isFinal(end) || ++restarts > RESTARTS_MAX) return doesNotStart(how, complaint)
      onRestart(how)
      setTimeout(() => {
        if (!isStopping && !stopping.aborted) child = launch()
      }, RESTART_AFTER_MS)
    })
    return started
  }

  function wasReady(): void {
    hasBeenReady = true
  }

  function doesNotStart(how: string, complaint: string): void {
    if (!isHeld(complaint)) log.open()
    giveUp(startFailure({ how, complaint, logFile }))
  }

  async function stop(): Promise<void> {
    isStopping = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
}

type End = Readonly<{
  code: number | null
  signal: NodeJS.Signals | null
  /** In this process or in an earlier one. */
  hasBeenReady: boolean
  aliveMs: number
}>

/** Whether a restart would end the same way: never ready, or an exit right after a restart. */
export function isFinal({ code, signal, hasBeenReady, aliveMs }: End): boolean {
  // A broker that was told to stop ends with 0 or by a signal.
  const isRefusal = signal === null && code !== 0
  return isRefusal && (!hasBeenReady || aliveMs < QUICK_DEATH_MS)
}

/** A start prints a few lines; this is far more. */
const HELD_BYTES_MAX = 1024 * 1024

/** Keeps the log in memory until the file is known to be ours. */
export function createHeldLog(path: string) {
  const sink = new PassThrough({ highWaterMark: HELD_BYTES_MAX })
  let isOpen = false

  return {
    sink,
    open(): void {
      if (isOpen) return
      isOpen = true
      sink.pipe(createWriteStream(path, { flags: 'a' }))
    },
  }
}

type Failure = Readonly<{ how: string; complaint: string; logFile: string }>

const HELD = /^Another broker runs on this directory: .*/

/** Whether another broker runs on this directory and owns its files. */
export function isHeld(complaint: string): boolean {
  return HELD.test(bare(complaint))
}

/** The broker names its own flags, which a user of the demo did not give. */
export function startFailure({ how, complaint, logFile }: Failure): Error {
  const said = bare(complaint)
  const [held] = HELD.exec(said) ?? []
  if (held)
    return new Error(
      `The broker did not start (${how}): ${held}\n` +
        'Stop it first, or choose another directory: make run ARGS="--data-dir DIR"',
    )
  const why = said
    .replaceAll('\n', ' ')
    .replace('--http-port', '--port')
    .replace('--dashboard-bind-address', '--page-port')
  const because = why === '' ? '.' : `: ${why}`
  return new Error(`The broker did not start (${how})${because}\nIts log: ${logFile}`)
}

function bare(complaint: string): string {
  return complaint.trim().replace(/^bourse: /, '')
}
