import { eventually } from '../time/eventually.ts'
import { type Child, type Exit, startChild } from './child.ts'

/** A server process, which tests may kill, freeze and start again. */
export type Part = {
  readonly name: string
  /** Throws while it does not run. */
  readonly pid: number
  isRunning(): boolean
  /** Starts it at the address it had before, and waits until it is ready. */
  start(): Promise<void>
  /** Starts it without waiting. */
  launch(): Child
  /** Rejects if it ends before it is ready. */
  ready(withinMs?: number): Promise<void>
  /** SIGKILL unless told otherwise; returns when it has gone. */
  kill(signal?: NodeJS.Signals): Promise<Exit>
  /** Kills it if it runs. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** SIGSTOP: it keeps its connections and answers nothing. */
  freeze(): void
  thaw(): void
  /** What it wrote since the first start, the last part of it. */
  logs(): string
}

type Options = Readonly<{
  name: string
  command: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
  isReady(): Promise<boolean>
}>

const READY_WITHIN_MS = 100_000
const LOGS_LENGTH_MAX = 4_000_000
/** Enough of a log to see why a process gave up. */
const LAST_WORDS_LENGTH = 2_000

export function createPart({ name, command, isReady, ...options }: Options): Part {
  let child: Child | undefined
  let earlier = ''

  const logs = () => earlier + (child?.output() ?? '')
  const lastWords = () => logs().slice(-LAST_WORDS_LENGTH)
  const isRunning = () => child !== undefined && child.exit() === undefined
  function running(): Child {
    if (!child || child.exit()) throw new Error(`${name} does not run.\n${lastWords()}`)
    return child
  }
  function launch(): Child {
    if (isRunning()) throw new Error(`${name} runs already.`)
    earlier = logs().slice(-LOGS_LENGTH_MAX)
    child = startChild(command, options)
    return child
  }
  async function ready(withinMs = READY_WITHIN_MS): Promise<void> {
    const ask = () => running() && isReady()
    await eventually(`${name} is ready`, ask, withinMs).catch((cause) => {
      throw new Error(`${name} did not get ready.\n${lastWords()}`, { cause })
    })
  }
  function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    const told = running()
    told.kill(signal)
    return told.exited
  }
  return {
    name,
    get pid() {
      return running().pid
    },
    isRunning,
    async start() {
      launch()
      await ready()
    },
    launch,
    ready,
    kill,
    async end(signal) {
      if (isRunning()) await kill(signal)
    },
    freeze: () => running().kill('SIGSTOP'),
    thaw: () => running().kill('SIGCONT'),
    logs,
  }
}
