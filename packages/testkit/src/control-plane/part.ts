import { type Child, type Exit, startChild } from '../processes/child.ts'
import { eventually } from '../time/eventually.ts'

/** One process of a control plane, which tests may kill, freeze and start again. */
export type Part = {
  readonly name: string
  readonly pid: number
  isRunning(): boolean
  /** Starts it at the address it had before, and waits until it is ready. */
  start(): Promise<void>
  /** SIGKILL unless told otherwise; returns when it has gone. */
  kill(signal?: NodeJS.Signals): Promise<Exit>
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
  isReady(): Promise<boolean>
}>

/** For the large ones in Go: memory is there for a while, and half of their time is its collection. */
export const SELDOM_COLLECTED = { GOGC: '400' }

const READY_WITHIN_MS = 100_000
const LOGS_LENGTH_MAX = 4_000_000
/** Enough of a log to see why a process gave up. */
const LAST_WORDS_LENGTH = 2_000

export function createPart({ name, command, env = {}, isReady }: Options): Part {
  let child: Child | undefined
  let earlier = ''

  const logs = () => earlier + (child?.output() ?? '')
  const isRunning = () => child !== undefined && child.exit() === undefined
  function running(): Child {
    if (!child || child.exit())
      throw new Error(`${name} does not run.\n${logs().slice(-LAST_WORDS_LENGTH)}`)
    return child
  }
  async function start(): Promise<void> {
    if (isRunning()) throw new Error(`${name} runs already.`)
    earlier = logs().slice(-LOGS_LENGTH_MAX)
    child = startChild(command, { env })
    const ask = async () => {
      running()
      return (await isReady()) || undefined
    }
    await eventually(`${name} is ready`, ask, READY_WITHIN_MS).catch((cause) => {
      throw new Error(`${name} did not get ready.\n${logs().slice(-LAST_WORDS_LENGTH)}`, { cause })
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
    start,
    kill,
    freeze: () => running().kill('SIGSTOP'),
    thaw: () => running().kill('SIGCONT'),
    logs,
  }
}
