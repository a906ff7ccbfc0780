/**
 * Limits the connections of a process, on all its ports.
 *
 * `keep-port.ts` follows one server's connections: `arrivals.ts` until the end of the handshake,
 * `open-connections.ts` after it, `output-watch.ts` while answers wait to be read. `limits.ts` has
 * all numbers; `node-socket.ts` and `peer-certificate.ts` have what depends on Node's internals.
 */
import { type KeptPort, type KeptServer, keepPort, type PortOptions } from './keep-port.ts'
import {
  ANSWERS_BETWEEN_LOOKS,
  CONNECTIONS_PER_ANSWER,
  STEP_MAX_MS,
  SWEEP_MS,
  TELL_REFUSED_MS,
  UNWRITTEN_BYTES_MAX,
} from './limits.ts'
import { greediestBeyond } from './output-watch.ts'
import { createWorkingTime, type Time } from './working-time.ts'

export { addressGroup } from './address-group.ts'
export { BACKLOG, type ConnectionLimits, knownCallerLimits, openPortLimits } from './limits.ts'

type Ports = Readonly<{ time?: Time; unwrittenBytesMax?: number }>
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
    /** Bytes of answers not yet taken by clients, as of the last check. */
    unwrittenBytes: () => unwritten,
    /** Connections opened plus connections closed so far: each leaves garbage to collect. */
    turnover: () => turnover,
  }

  /** Must be called before the server listens and before other connection listeners are added. */
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

  /** One turn of the event loop may produce hundreds of answers, so the check does not wait. */
  function noteAnswer(): void {
    answersUntilLook -= 1
    if (answersUntilLook === 0) weigh()
  }

  function sweep(): void {
    time.tick()
    const at = now()
    for (const port of kept) port.sweep(at)
    if (weigh() > 0) return
    // No connections: stop the timer.
    clearInterval(sweeping)
    sweeping = undefined
  }

  /** Sums the unwritten bytes; returns the number of connections. */
  function weigh(): number {
    let count = 0
    unwritten = 0
    for (const port of kept)
      for (const connection of port.connections()) {
        count += 1
        connection.seen.unwritten = connection.unwritten()
        unwritten += connection.seen.unwritten
      }
    if (unwritten > unwrittenBytesMax) giveUpGreediest()
    answersUntilLook = Math.max(ANSWERS_BETWEEN_LOOKS, count / CONNECTIONS_PER_ANSWER) | 0
    return count
  }

  function giveUpGreediest(): void {
    const all = [...kept].flatMap((port) =>
      [...port.connections()].map((connection) => {
        const { caller, seen } = connection
        return { port, connection, caller: `${port.name} ${caller}`, seen }
      }),
    )
    for (const { port, connection, seen } of greediestBeyond(all, unwrittenBytesMax)) {
      unwritten -= seen.unwritten
      port.drop(connection, 'memory')
    }
  }

  /** For a probe: the connections of each port, and whether it refuses or drops some. */
  function report(): string {
    const at = now()
    const said = [...kept].map((port) => {
      const { name, open, arriving, refusedAt, floodedAt } = port.figures()
      const coming = arriving > 0 ? `, ${arriving} arriving` : ''
      const shown = `${name} ${open} of ${port.limits.openMax}${coming}`
      if (at - refusedAt < TELL_REFUSED_MS)
        return `${shown}: exhausted, new connections are refused`
      if (at - floodedAt < TELL_REFUSED_MS)
        return `${shown}: flooded, the oldest arriving connections are dropped`
      return shown
    })
    return said.join('; ')
  }
}
