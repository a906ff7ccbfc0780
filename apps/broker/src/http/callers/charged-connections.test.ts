import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { createConnections } from '@bourse/daemon/connections'
import { createRawCaller, eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { apiPorts, aRate, settings } from '../../../fixtures/http/server/api.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { IN_WORK_MAX } from '../../fair-share/caller-loads.ts'
import type { FairShare } from '../../fair-share/index.ts'
import type { ApiPorts } from '../server/create-api.ts'
import { createHttpServer } from '../server/create-http-server.ts'

const federation = useCertificates()
const MIB = 1024 * 1024
const HEAD = 'POST /api/v1/reservations HTTP/1.1\r\nhost: broker\r\ncontent-type: application/json'

/** The API over real TLS, asked by rome. Its credit is never filled again. */
async function aBroker(given: Partial<ApiPorts> = {}, burst = 10_000) {
  const { share } = aRate({ perSecond: 1e-9, burst })
  const certPath = await federation().forServer()
  const connections = createConnections()
  const { ports, lines } = await apiPorts({ now: Date.now, share, ...given })
  const place = { certPath, port: 0, host: '127.0.0.1', maxConnections: 100 }
  const server = await createHttpServer({ ...ports, connections }, { ...settings, ...place })
  const { port } = await server.listen()
  onTestFinished(() => server.drain(0))
  const rome = await federation().forCluster('rome')
  const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
    readFileSync(join(rome, name)),
  )

  async function dial() {
    const socket = connect({ port, host: '127.0.0.1', ca, cert, key })
    onTestFinished(() => void socket.destroy())
    // Being cut off is what some are for.
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    return socket
  }
  const caller = createRawCaller({ url: `https://127.0.0.1:${port}`, certPath: rome })
  onTestFinished(caller.close)
  const openCount = () => connections.figures()[0]?.open
  return { share, dial, caller, lines, openCount }
}

/** How much of its credit is left; what is less than a token does not matter. */
function creditOf({ rate }: FairShare, burst = 10_000): number {
  let left = 0
  for (let step = burst; step >= 1; step /= 2)
    if (rate.take('rome', step) === undefined) left += step
  return left
}

/** How many bytes there was room for, also on the way. */
function sendUntilCut(socket: TLSSocket, part: Buffer, bytesMax: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0
    socket.once('close', () => resolve(sent))
    socket.on('drain', goOn)
    goOn()

    function goOn(): void {
      do sent += part.length
      while (sent < bytesMax && socket.write(part))
      if (sent >= bytesMax) socket.destroy()
    }
  })
}

describe('a body that goes on after it was refused', () => {
  it.each([
    { name: 'that says how long it is', length: 'content-length: 1000000000', chunk: '' },
    { name: 'that does not', length: 'transfer-encoding: chunked', chunk: '10000\r\n' },
  ])('$name is read for a while, then its connection ends', async ({ length, chunk }) => {
    const { dial } = await aBroker({}, 1)
    const socket = await dial()
    const part = Buffer.from(`${chunk}${'x'.repeat(64 * 1024)}${chunk && '\r\n'}`)
    let heard = ''
    socket.on('data', (bytes) => {
      heard += bytes
    })
    socket.write(`${HEAD}\r\n${length}\r\n\r\n`)

    const sent = await sendUntilCut(socket, part, 200 * MIB)

    expect(heard).toMatch(/^HTTP\/1.1 429 .*retry-after: /s)
    expect(sent).toBeLessThan(100 * MIB)
  })
})

describe('what a body costs that is never used', () => {
  it.each([
    { name: 'as much as the largest one when it is larger', path: 'reservations', by: 'length' },
    { name: 'the same when its length is not known', path: 'reservations', by: 'chunks' },
    { name: 'the same where nothing is', path: 'nowhere', by: 'chunks' },
  ])('$name', async ({ path, by }) => {
    const { caller, share } = await aBroker()
    const body = Buffer.alloc(2 * MIB, 'x')
    const before = 10_000

    const call = caller.open({
      method: 'POST',
      path: `/api/v1/${path}`,
      headers: {
        'content-type': 'application/json',
        ...(by === 'length'
          ? { 'content-length': String(body.length) }
          : { 'transfer-encoding': 'chunked' }),
      },
    })
    call.end(body)
    const [{ statusCode }] = await once(call, 'response')

    expect(statusCode).toBe(path === 'nowhere' ? 404 : 413)
    // And 20 for the connection.
    expect(before - creditOf(share)).toBeGreaterThan(1_000)
  })
})

describe('a caller that hangs up', () => {
  it('before its long answer is there owes nothing for it, and no work is done any more', async () => {
    const { dial, share, asked, openTheGate, openCount } = await aSlowBroker()
    const socket = await dial()
    socket.write(LIST.repeat(2))
    await asked

    socket.destroy()
    await eventually('it has gone', () => openCount() === 0 || undefined)
    openTheGate()

    await nothingIsLeft(share)
  })

  it.each([
    { name: 'a small body', length: 2 },
    { name: 'a large body', length: MIB / 2 },
  ])('while $name of it is on its way keeps no room', async ({ length }) => {
    const { dial, share, openCount } = await aSlowBroker()
    const socket = await dial()
    socket.write(`${HEAD}\r\ncontent-length: ${length}\r\n\r\n{`)
    await eventually('it is at work', () => share.loads.totals().inWork === 1 || undefined)

    socket.destroy()
    await eventually('it has gone', () => openCount() === 0 || undefined)

    await nothingIsLeft(share)
  })

  it.each([
    { name: 'with a small body', length: 2, sent: '{}' },
    { name: 'with part of a small body', length: 2, sent: '{' },
    { name: 'with part of a large body', length: MIB / 2, sent: '{' },
  ])('while its request $name waits for others keeps no room', async ({ length, sent }) => {
    const { dial, share, openTheGate, openCount } = await aSlowBroker()
    for (let n = 0; n < IN_WORK_MAX; n += 1) (await dial()).write(LIST)
    const { totals } = share.loads
    await eventually('all are at work', () => totals().inWork === IN_WORK_MAX || undefined)
    const socket = await dial()
    socket.write(`${HEAD}\r\ncontent-length: ${length}\r\n\r\n${sent}`)
    await eventually('it waits', () => totals().waiting === 1 || undefined)

    socket.destroy()
    await eventually('it has gone', () => openCount() === IN_WORK_MAX || undefined)
    openTheGate()

    await nothingIsLeft(share)
  })
})

const LIST = 'GET /api/v1/reservations?phase=Released&limit=1000 HTTP/1.1\r\nhost: broker\r\n\r\n'

/** Its list of what has ended is long, and comes when the gate is opened. */
async function aSlowBroker() {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { ports } = await apiPorts()
  const listEnded = async () => {
    asked.resolve()
    await gate.promise
    return Array.from({ length: 500 }, (_, n) => aReservation(`rsv-${n}`, { phase: 'Released' }))
  }
  const broker = await aBroker({ history: { ...ports.history, listEnded } })
  return { ...broker, asked: asked.promise, openTheGate: gate.resolve }
}

async function nothingIsLeft({ line, loads }: FairShare): Promise<void> {
  await eventually('nothing waits', () => line.waiting() === 0 || undefined)
  await expect
    .poll(loads.totals, { timeout: 5_000 })
    .toEqual({ inWork: 0, waiting: 0, bodyBytes: 0, unreadBytes: 0 })
}
