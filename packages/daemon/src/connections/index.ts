import { type KeptPort, type KeptServer, keepPort, type PortOptions } from './keep-port.ts'
import {
  ANSWERS_BETWEEN_LOOKS,
  CONNECTIONS_PER_ANSWER,
  STEP_MAX_MS,
  SWEEP_MS,
  TELL_REFUSED_MS,
  UNWRITTEN_BYTES_MAX,
} from './limits.ts'
import { largestBeyond } from './output-watch.ts'
import { createWorkingTime, type Time } from './working-time.ts'

export { anybodyLimits, BACKLOG, type ConnectionLimits, knownCallerLimits } from './limits.ts'

type Ports = Readonly<{
  time?: Time
  unwrittenBytesMax?: number
}>
export type PortFigures = Pick<
  ReturnType<KeptPort['figures']>,
  'name' | 'open' | 'arriving' | 'dropped'
>
export type Connections = ReturnType<typeof createConnections>

/** The connections of a process, on all its ports. */
export function createConnections(ports: Ports = {}) {
  const { unwrittenBytesMax = UNWRITTEN_BYTES_MAX } = ports
  const time = ports.time ?? createWorkingTime(() => performance.now(), STEP_MAX_MS)
  const { now } = time
  const kept = new Set<KeptPort>()
  let unwritten = 0
  let turnover = 0
  let answersUntilLook = ANSWERS_BETWEEN_LOOKS
  let sweeping: NodeJS.Timeout | undefined

  return {
    keep,
    noteAnswer,
    sweep,
    report,
    figures: (): PortFigures[] => [...kept].map((port) => port.figures()),
    /** Bytes of answers that nobody has taken yet, as of the last look. */
    unwrittenBytes: () => unwritten,
    /** How many have come, and how many gone, so far: each leaves something to be collected. */
    turnover: () => turnover,
  }

  /** From now on; before the server listens, and before others look at its connections. */
  function keep(server: KeptServer, options: PortOptions): void {
    const port = keepPort(server, options, { now, opened, closed, defer: setImmediate })
    kept.add(port)
    server.once('close', () => kept.delete(port))
  }

  function opened(): void {
    turnover += 1
    sweeping ??= setInterval(sweep, SWEEP_MS).unref()
  }

  function closed(): void {
    turnover += 1
  }

  /** One turn of the event loop may make hundreds of them: it is not waited for its end. */
  function noteAnswer(): void {
    answersUntilLook -= 1
    if (answersUntilLook === 0) weigh()
  }

  function sweep(): void {
    time.tick()
    const at = now()
    for (const port of kept) port.sweep(at)
    if (weigh() > 0) return
    // A process without connections has nothing to look at.
    clearInterval(sweeping)
    sweeping = undefined
  }

  /** How much waits to be taken, now; answers with how many connections there are. */
  function weigh(): number {
    let count = 0
    unwritten = 0
    for (const port of kept)
      for (const connection of port.connections()) {
        count += 1
        connection.seen.unwritten = connection.unwritten()
        unwritten += connection.seen.unwritten
      }
    if (unwritten > unwrittenBytesMax) giveUpLargest()
    answersUntilLook = Math.max(ANSWERS_BETWEEN_LOOKS, count / CONNECTIONS_PER_ANSWER) | 0
    return count
  }

  function giveUpLargest(): void {
    const all = [...kept].flatMap((port) =>
      [...port.connections()].map((connection) => ({ port, connection, seen: connection.seen })),
    )
    for (const { port, connection, seen } of largestBeyond(all, unwrittenBytesMax)) {
      unwritten -= seen.unwritten
      port.drop(connection, 'memory')
    }
  }

  /** For a probe: how many there are, and which port has had to turn connections away. */
  function report(): string {
    const at = now()
    const said = [...kept].map((port) => {
      const { name, open, arriving, refusedAt, floodedAt } = port.figures()
      const coming = arriving > 0 ? `, ${arriving} arriving` : ''
      const shown = `${name} ${open} of ${port.limits.openMax}${coming}`
      if (at - refusedAt < TELL_REFUSED_MS) return `${shown}: exhausted, newcomers are refused`
      if (at - floodedAt < TELL_REFUSED_MS) return `${shown}: flooded, the oldest arrivals go`
      return shown
    })
    return said.join('; ')
  }
}
