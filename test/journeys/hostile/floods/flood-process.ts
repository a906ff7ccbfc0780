import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { identityIn } from '@bourse/testkit/identity'
import { ATTACKER_PRIORITY } from '../attack-size.ts'
import { createFloods, type Flood, type FloodTarget } from './flood.ts'

export type FloodOrder = FloodTarget & Readonly<{ port: number; certPath: string; name: string }>

/** What the broker answered so far; `isUnderWay`: after all handshakes, which cost both sides most. */
export type FloodReport = Readonly<{ isUnderWay: boolean } & FloodCounts>
/** `cut`: connections that it did not end itself. */
type FloodCounts = { answers: number; refused: number; toldWhen: number; cut: number }

const REPORT_EVERY_MS = 50
/** One that does not read cannot wait for its answers. */
const DEAF_ASK_EVERY_MS = 50

// A process of its own that floods as it is ordered. An attacker has a machine of its own: here it
// gets what the others leave.
setPriority(ATTACKER_PRIORITY)
let stop = () => {}
process.on('message', (order: FloodOrder | 'stop') => {
  stop()
  stop = order === 'stop' ? () => {} : begin(order)
})

function begin(order: FloodOrder): () => void {
  const flood = createFloods(order).find(({ name }) => name === order.name)
  if (!flood) throw new Error(`There is no flood ${order.name}.`)
  const identity = identityIn(order.certPath)
  const counts: FloodCounts = { answers: 0, refused: 0, toldWhen: 0, cut: 0 }
  const open = new Set<TLSSocket>()
  const startedAt = performance.now()
  let sent = 0
  let secured = 0
  let isOver = false
  for (let opened = 0; opened < flood.connections; opened += 1) void keepOpen(flood)
  const reporting = setInterval(
    () => process.send?.({ ...counts, isUnderWay: secured >= flood.connections }),
    REPORT_EVERY_MS,
  )
  return end

  async function keepOpen(one: Flood): Promise<void> {
    while (!isOver) {
      await connection(one)
      await sleep(5)
    }
  }

  function connection(one: Flood): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: order.port, ...identity })
      // To be cut off is what it is for.
      socket.on('error', () => {})
      socket.once('close', () => {
        if (open.delete(socket)) counts.cut += 1
        resolve()
      })
      open.add(socket)
      socket.once('secureConnect', () => {
        secured += 1
        void send(socket, one)
        if (one.isDeaf) askOn(socket, one)
        if (one.goesOn !== undefined) goOn(socket, one.goesOn)
      })
      if (one.isDeaf) socket.pause()
      else socket.on('data', listener(socket, one))
    })
  }

  async function send(socket: TLSSocket, one: Flood): Promise<void> {
    const { request, pipelined = 1, perSecond = Number.POSITIVE_INFINITY } = one
    if (!request) return
    sent += 1
    const dueAt = startedAt + (1_000 * sent) / perSecond
    if (dueAt > performance.now()) await sleep(dueAt - performance.now())
    socket.write(request(sent).repeat(pipelined))
  }

  function askOn(socket: TLSSocket, one: Flood): void {
    const asking = setInterval(() => void send(socket, one), DEAF_ASK_EVERY_MS)
    socket.once('close', () => clearInterval(asking))
  }

  function goOn(socket: TLSSocket, part: string): void {
    while (!socket.destroyed && socket.write(part));
    socket.once('drain', () => goOn(socket, part))
  }

  function listener(socket: TLSSocket, one: Flood): (part: Buffer) => void {
    const { pipelined = 1, reconnects, goesOn } = one
    let heard = 0
    return (part) => {
      const answers = count(part)
      heard += answers
      if (answers === 0) return
      if (reconnects) leave(socket)
      // One that goes on is still sending.
      else if (goesOn === undefined && heard % pipelined === 0) void send(socket, one)
    }
  }

  function count(part: Buffer): number {
    const text = part.toString('latin1')
    const answers = text.split('HTTP/1.1 ').length - 1
    counts.answers += answers
    counts.refused += text.split('HTTP/1.1 429').length - 1
    counts.toldWhen += text.split(/retry-after: /i).length - 1
    return answers
  }

  function leave(socket: TLSSocket): void {
    open.delete(socket)
    socket.destroy()
  }

  function end(): void {
    isOver = true
    clearInterval(reporting)
    for (const socket of open) leave(socket)
  }
}
