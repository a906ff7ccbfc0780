import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { createFloods, type Flood, type FloodTarget } from './flood.ts'

export type FloodOrder = FloodTarget & Readonly<{ port: number; certPath: string; name: string }>

/** What the broker answered so far; `isUnderWay`: after all handshakes, which cost both sides most. */
export type FloodReport = Readonly<{ isUnderWay: boolean } & FloodCounts>
type FloodCounts = { answers: number; refused: number; toldWhen: number }

const REPORT_EVERY_MS = 50

// A process of its own that floods as it is ordered. An attacker has a machine of its own: here it
// gets what the others leave.
setPriority(constants.priority.PRIORITY_LOW)
let stop = () => {}
process.on('message', (order: FloodOrder | 'stop') => {
  stop()
  stop = order === 'stop' ? () => {} : begin(order)
})

function begin(order: FloodOrder): () => void {
  const flood = createFloods(order).find(({ name }) => name === order.name)
  if (!flood) throw new Error(`There is no flood ${order.name}.`)
  const file = (name: string) => readFileSync(join(order.certPath, name))
  const identity = { cert: file('tls.crt'), key: file('tls.key'), ca: file('ca.crt') }
  const counts: FloodCounts = { answers: 0, refused: 0, toldWhen: 0 }
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
        open.delete(socket)
        resolve()
      })
      open.add(socket)
      socket.once('secureConnect', () => {
        secured += 1
        void send(socket, one)
      })
      if (one.isDeaf) socket.pause()
      else socket.on('data', (part: Buffer) => void hear(socket, part, one))
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

  async function hear(socket: TLSSocket, part: Buffer, one: Flood): Promise<void> {
    const text = part.toString('latin1')
    const answers = text.split('HTTP/1.1 ').length - 1
    counts.answers += answers
    counts.refused += text.split('HTTP/1.1 429').length - 1
    counts.toldWhen += text.split('retry-after: ').length - 1
    if (answers === 0) return
    if (one.reconnects) socket.destroy()
    // The answers to what was sent together come together, or nearly so.
    else if (counts.answers % (one.pipelined ?? 1) === 0) await send(socket, one)
  }

  function end(): void {
    isOver = true
    clearInterval(reporting)
    for (const socket of open) socket.destroy()
  }
}
