import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createHeldLog } from './held-log.ts'
import { isHeld, startFailure } from './start-failure.ts'

type Ports = Readonly<{
  flags: readonly string[]
  logFile: string
  /** Ctrl-C reaches the broker too: that it ends then is no accident. */
  signal: AbortSignal
  /** It went away without being asked to; it is started again on the same data. */
  onRestart(how: string): void
}>

const RESTART_AFTER_MS = 1_500
const RESTARTS_MAX = 100
/** One that refuses so soon after a restart (a port in use) would refuse again. */
const QUICK_DEATH_MS = 10_000
/** A complaint is a line or two; a broker that runs for days may complain about much. */
const COMPLAINT_LENGTH_MAX = 2_000
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** The broker as a process of its own, so that it can be killed and watched coming back. */
export function superviseBroker({ flags, logFile, signal: stopping, onRestart }: Ports) {
  // Another demo may run on this directory, and that one's log is no place for our complaints.
  const log = createHeldLog(logFile)
  let child = launch()
  let isStopping = false
  let hasBeenReady = false
  let restarts = 0
  let giveUp: (cause: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  failed.catch(() => {}) // Whoever races against it hears of it; without a race it is no fault.

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
    // Not at its exit: what it said last may still be on its way.
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
  /** Ever, in this life or in an earlier one. */
  hasBeenReady: boolean
  aliveMs: number
}>

/** Whether it has refused to start: before its first start, however long a busy machine took. */
export function isFinal({ code, signal, hasBeenReady, aliveMs }: End): boolean {
  // One that was told to stop ends with 0 or by a signal.
  const isRefusal = signal === null && code !== 0
  return isRefusal && (!hasBeenReady || aliveMs < QUICK_DEATH_MS)
}
