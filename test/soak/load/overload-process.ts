import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { identityIn } from '@bourse/testkit/identity'
import { inTurn } from '../../bench/harness/in-turn.ts'
import { numbered, requestBytes, reservationBody } from '../../bench/load/requests.ts'
import type { OverloadOrder, OverloadReport } from './crowd.ts'

/**
 * `crowd.ts` starts this process. Its requests do not wait for answers: each connection keeps so
 * many under way, so that all together are many times what a broker decides in a second.
 */
type Identity = OverloadOrder['identities'][number]
type Lane = { socket: TLSSocket; next(): Buffer; rest: string }

const HANDSHAKES_AT_ONCE = 32
/** What Retry-After says. */
const REOPEN_AFTER_MS = 1_000
const ANSWER = /HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/
const LENGTH = /content-length: (\d+)/i

const [order] = (await once(process, 'message')) as [OverloadOrder]
const statuses: Record<number, number> = {}
const lanes: Lane[] = []
let laneCount = 0
let isOver = true
lanes.push(...(await inTurn(order.identities, openLane, HANDSHAKES_AT_ONCE)))
process.on('message', () => {
  runBurst().then((report) => process.send?.(report))
})
process.send?.({ kind: 'ready' })

async function openLane({ clusterId, directory }: Identity): Promise<Lane> {
  const target = { host: '127.0.0.1', servername: 'localhost', port: order.port }
  const socket = connect({ ...target, ...identityIn(directory), ALPNProtocols: ['http/1.1'] })
  await once(socket, 'secureConnect')
  const body = reservationBody(`over-${Date.now().toString(36)}-${++laneCount}`)
  const lane: Lane = {
    socket,
    next: numbered(requestBytes('POST', '/reservations', body), 0),
    rest: '',
  }
  socket.setEncoding('latin1').on('data', (text: string) => {
    const answered = readAnswers(lane, text)
    if (!isOver) sendMany(lane, answered)
  })
  // A server gives up on a connection that says nothing, and the burst may come late.
  sendMany(lane, 1)
  await once(socket, 'data')
  socket.on('error', () => socket.destroy())
  // A broker that has had enough of a connection may end it, and is called again.
  socket.on('close', () => {
    count(0)
    setTimeout(reopen, REOPEN_AFTER_MS, { clusterId, directory })
  })
  return lane
}

function reopen(identity: Identity): void {
  if (isOver) return
  openLane(identity).then(
    (lane) => {
      lanes.push(lane)
      if (isOver) lane.socket.destroy()
      else sendMany(lane, order.depth - 1)
    },
    // Refused while it is crowded: others keep it so.
    () => {},
  )
}

async function runBurst(): Promise<OverloadReport> {
  for (const status of Object.keys(statuses)) delete statuses[Number(status)]
  const startedAt = performance.now()
  isOver = false
  for (const lane of lanes) sendMany(lane, order.depth)
  await sleep(order.burstMs)
  // On a machine in use it may take longer until enough has come in.
  const { burstMaxMs } = order
  while (!isFelt() && performance.now() - startedAt < burstMaxMs) await sleep(100)
  isOver = true
  const seconds = (performance.now() - startedAt) / 1_000
  const report = { seconds, statuses: { ...statuses } }
  // Callers that give up, as those do who have waited for too long.
  for (const { socket } of lanes) socket.removeAllListeners('close').destroy()
  return report
}

/** Some are served and some are not. */
function isFelt(): boolean {
  const refused = (statuses[429] ?? 0) + (statuses[503] ?? 0)
  return refused > 0 && (statuses[201] ?? 0) > 0
}

function sendMany({ socket, next }: Lane, many: number): void {
  if (socket.destroyed || many === 0) return
  // The same bytes are numbered anew for each, so they are copied.
  socket.write(Buffer.concat(Array.from({ length: many }, () => Buffer.from(next()))))
}

/** How many answers have become whole with this text. */
function readAnswers(lane: Lane, text: string): number {
  lane.rest += text
  let answered = 0
  for (let end = answerEnd(lane.rest); end > 0; end = answerEnd(lane.rest)) {
    lane.rest = lane.rest.slice(end)
    answered++
  }
  return answered
}

function answerEnd(text: string): number {
  const found = ANSWER.exec(text)
  if (!found) return 0
  const [head, status] = found
  const end = found.index + head.length + Number(LENGTH.exec(head)?.[1] ?? 0)
  if (text.length < end) return 0
  count(Number(status))
  return end
}

function count(status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}
