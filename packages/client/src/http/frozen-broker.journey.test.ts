import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Scene, type ScriptedBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { RESERVATION, WANTED } from '../../fixtures/http/granted.ts'
import { createHttpBroker } from './http-broker.ts'

const GRANTED: Scene = { status: 201, body: RESERVATION, headers: STAMP }
const LEADS: Scene = { status: 200, body: [], headers: STAMP }
/** Of calls that do not wait: so many are sent, the others queue for a connection. */
const CONNECTIONS = 4
/** One that is well answers within it, also on a busy machine. */
const IN_VAIN_MS = 10_000

const { play, closeLater, rome } = useScriptedBrokers()

describe('a broker that keeps its connections and answers nothing', () => {
  it('is left by queued calls as soon as one call has timed out', async () => {
    const frozen = await play(GRANTED, GRANTED, GRANTED, GRANTED, GRANTED, 'stay silent')
    const next = await play(GRANTED)
    const broker = client(`${frozen.url},${next.url}`)

    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => broker.requestReservation(WANTED)),
    )

    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(40).fill('reserved'))
    // One that was sent before the last answer came is no sign yet, and makes way for another.
    expect(frozen.heard.length).toBeLessThanOrEqual(5 + 2 * CONNECTIONS)
    expect(next.heard).toHaveLength(40 - 5)
  })

  it('is left by calls that wait for a handshake', async () => {
    const frozen = await takeConnectionsAndSayNothing()
    const next = await play(LEADS)
    const broker = client(`${frozen.url},${next.url}`)

    await Promise.all(Array.from({ length: 40 }, () => broker.ping()))

    // In the place of each that was given up, another may have begun.
    expect(frozen.connections.length).toBeLessThanOrEqual(2 * CONNECTIONS)
    expect(next.heard).toHaveLength(40)
  })

  it('is left by a long poll before its time is up', async () => {
    const frozen = await play(LEADS, 'stay silent')
    const next = await play((request, response) => {
      if (request.url?.endsWith('/healthz')) response.writeHead(200).end('{}')
    })
    const broker = client(`${frozen.url},${next.url}`)
    const stop = new AbortController()
    const answers = watch(broker.watchInstructions({ signal: stop.signal, waitMs: 60_000 }))
    await answers.next()
    const waiting = answers.next()
    await expect.poll(() => frozen.heard.length).toBe(2)

    await broker.ping()

    await expect.poll(() => linesOf(next)).toContainEqual(expect.stringContaining('wait='))
    stop.abort()
    await waiting
  })

  it('is left by a stream of events, which resumes where it was', async () => {
    const frozen = await play(streams(7), 'stay silent')
    const next = await play((request, response) =>
      request.url?.endsWith('/events')
        ? sendEvent(response, Number(request.headers['last-event-id']) + 1)
        : response.writeHead(200).end('{}'),
    )
    const broker = client(`${frozen.url},${next.url}`)
    const stop = new AbortController()
    const events = watch(broker.events({ signal: stop.signal }))
    const before = await events.next()
    const after = events.next()

    await broker.ping()

    expect([(await before).value, (await after).value]).toEqual([{ index: 7 }, { index: 8 }])
    stop.abort()
  })

  it('keeps its long polls while it answers others', async () => {
    const slow = await play(LEADS, 'stay silent', 'stay silent', LEADS)
    const next = await play(LEADS)
    const broker = client(`${slow.url},${next.url}`)
    const stop = new AbortController()
    const answers = watch(broker.watchInstructions({ signal: stop.signal, waitMs: 60_000 }))
    await answers.next()
    const waiting = answers.next()
    await expect.poll(() => slow.heard.length).toBe(2)
    const late = broker.ping()
    await expect.poll(() => slow.heard.length).toBe(3)

    await broker.ping()
    await late
    await broker.fetchInstructions({ waitMs: 1 })

    // The one that came too late, and this last question.
    expect(linesOf(next)).toEqual(['GET /api/v1/healthz', 'GET /api/v1/instructions?wait=1ms'])
    stop.abort()
    await waiting
  })
})

type Response = Parameters<Extract<Scene, (...args: never[]) => void>>[1]

const streams =
  (index: number): Scene =>
  (_request, response) =>
    sendEvent(response, index)

function sendEvent(response: Response, index: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`id: ${index}\ndata: {"index":${index}}\n\n`)
}

const watch = <T>(answers: AsyncIterable<T>) => answers[Symbol.asyncIterator]()

function linesOf({ heard }: ScriptedBroker): string[] {
  return heard.map(({ line }) => line)
}

/** As the kernel does for a stopped process: connections open, and no handshake comes. */
async function takeConnectionsAndSayNothing() {
  const connections: Socket[] = []
  const listener = createServer((socket) => connections.push(socket)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  closeLater({
    async close() {
      for (const socket of connections) socket.destroy()
      listener.close()
    },
  })
  // A listening TCP server always has such an address.
  const { port } = listener.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}`, connections }
}

function client(url: string) {
  const clock = { random: () => 0.5, sleep: async () => undefined }
  const timeouts = { connectMs: IN_VAIN_MS, headersMs: IN_VAIN_MS }
  return closeLater(createHttpBroker({ url, certPath: rome(), clock, timeouts }))
}
