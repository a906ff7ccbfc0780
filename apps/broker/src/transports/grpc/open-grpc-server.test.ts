import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brokerService } from '@bourse/contract/grpc'
import { createConnections } from '@bourse/daemon/connections'
import { eventually, makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { Code, createClient } from '@connectrpc/connect'
import { compressionGzip, createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { advertisement, apiPorts, settings } from '../../../fixtures/http/server/api.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { createRelay } from '../relay/create-relay.ts'
import { openGrpcServer } from './open-grpc-server.ts'

const MONTHS_MS = 60 * 86_400_000
const LOOK_MS = 15_000

let federation: TestCertificates
const closing: (() => unknown)[] = []

beforeAll(async () => {
  federation = await makeTestCertificates()
  return () => federation.dispose()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  vi.useRealTimers()
})

/** A gRPC door over real TLS, on a certificate directory and a clock of its own. */
async function aDoor(given: Parameters<typeof createCarrierLimits>[0] = {}) {
  const clock = { lateMs: 0 }
  const now = () => Date.now() + clock.lateMs
  const certPath = mkdtempSync(join(tmpdir(), 'bourse-grpc-'))
  const serverPath = await federation.forServer()
  for (const name of ['ca.crt', 'tls.key', 'tls.crt'])
    copyFileSync(join(serverPath, name), join(certPath, name))
  const parts = await apiPorts({ now })
  const relay = await createRelay(parts.ports, settings)
  const { log } = parts.ports
  const limits = createCarrierLimits(given)
  const bind = { certPath, port: 0, host: '127.0.0.1', maxConnections: 100 }
  const connections = createConnections()
  const { share } = parts.ports
  const door = await openGrpcServer({ relay, limits, share, now, connections, log }, bind)
  closing.push(
    () => rmSync(certPath, { recursive: true }),
    () => relay.close(),
    () => door.drain(1_000),
    () => relay.endWatches(),
  )

  /** What the ledger learns from others meanwhile. */
  const reserve = () =>
    relay.ask(() => ({ id: 'rome', isOperator: false }), {
      method: 'POST',
      path: '/reservations',
      body: '{"requestedResources":{"cpu":"2"}}',
    })
  async function revoke(clusterId: string): Promise<void> {
    await federation.revoke([clusterId], certPath)
    await eventually('the renewal', () => parts.lines.some((line) => line.includes('renewed')))
  }
  const url = `https://127.0.0.1:${door.port}`
  const as = (id: string, how?: How) => connect(url, id, how)
  return { ...parts, clock, limits, relay, reserve, revoke, url, as }
}

type How = Partial<Parameters<typeof createGrpcTransport>[0]>

async function connect(url: string, clusterId: string, how: How = {}) {
  const sessionManager = new Http2SessionManager(url, {}, await identityOf(clusterId))
  closing.push(() => sessionManager.abort())
  const transport = createGrpcTransport({ baseUrl: url, sessionManager, ...how })
  return createClient(brokerService, transport)
}

async function identityOf(clusterId: string) {
  const files = await federation.forCluster(clusterId)
  const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
    readFileSync(join(files, name)),
  )
  return { ca, cert, key }
}

/** Paris, which has advertised, waits for its first instruction. */
async function aWaiting(how: 'watch' | 'ask') {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const door = await aDoor()
  const paris = await door.as('paris')
  const body = Buffer.from(JSON.stringify(advertisement('paris')))
  await paris.ask({ method: 'POST', path: '/advertisements', body })
  const answers = how === 'watch' ? await aWatch(paris) : anAsk(paris)
  const told = answers.next()
  await expect.poll(door.relay.waiting).toBe(1)
  return { ...door, answers, told }
}

type Client = Awaited<ReturnType<typeof connect>>

async function aWatch(paris: Client) {
  const call = { method: 'GET', path: '/instructions' }
  const answers = paris.watch(call)[Symbol.asyncIterator]()
  await answers.next()
  return answers
}

async function* anAsk(paris: Client) {
  yield await paris.ask({ method: 'GET', path: '/instructions?wait=30s' })
}

describe.each(['watch', 'ask'] as const)('a caller shut out while it waits by %s', (how) => {
  it('hears no more once its certificate is revoked', async () => {
    const { answers, told, revoke, reserve } = await aWaiting(how)

    await revoke('paris')
    await reserve()

    expect((await told).value).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect((await answers.next()).done).toBe(true)
  })

  it('is told why instead of the news when its certificate has expired', async () => {
    const { answers, told, clock, reserve } = await aWaiting(how)

    clock.lateMs = MONTHS_MS
    await reserve()

    expect(problemIn(await told)).toMatchObject({ status: 403, code: 'CertificateExpired' })
    expect((await answers.next()).done).toBe(true)
  })

  it('is told so within 15 seconds, if there is no news', async () => {
    const { told, clock } = await aWaiting(how)

    clock.lateMs = MONTHS_MS
    vi.advanceTimersByTime(LOOK_MS)

    expect(problemIn(await told)).toMatchObject({ status: 403, code: 'CertificateExpired' })
  })

  it('is told so within 15 seconds of a change of the lists', async () => {
    const { told, admission } = await aWaiting(how)

    admission.current = { allow: new Set(['rome']), deny: new Set() }
    vi.advanceTimersByTime(LOOK_MS)

    expect(problemIn(await told)).toMatchObject({ status: 403, code: 'ClusterDenied' })
  })
})

describe('what an ask has done', () => {
  it('is told to its caller, also if that is shut out meanwhile', async () => {
    const { as, clock, writer } = await aDoor()
    const paris = await as('paris')
    writer.subscribe(() => {
      clock.lateMs = MONTHS_MS
    })

    const body = Buffer.from(JSON.stringify(advertisement('paris')))
    const { status } = await paris.ask({ method: 'POST', path: '/advertisements', body })
    const next = await paris.ask({ method: 'GET', path: '/instructions' })

    expect([status, next.status]).toEqual([200, 403])
  })
})

describe('what one caller has open', () => {
  const INSTRUCTIONS = { method: 'GET', path: '/instructions' }
  const WAITING = { method: 'GET', path: '/instructions?wait=30s' }
  const two = { perCaller: 2, inAll: 100, always: 0 }

  it('is bounded in calls, and other callers are not', async () => {
    const { as, limits } = await aDoor({ calls: two })
    const paris = await as('paris')
    const rome = await as('rome')
    const waiting = [paris.ask(WAITING), paris.ask(WAITING)]
    await expect.poll(() => limits.open('calls')).toBe(2)

    const third = await paris.ask(INSTRUCTIONS)
    const other = await rome.ask(INSTRUCTIONS)

    expect(third).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(other.status).toBe(200)
    for (const one of waiting) one.catch(() => {})
  })

  it('is bounded in watches, and given back when they are left', async () => {
    const { as, limits, relay } = await aDoor({ watches: two })
    const paris = await as('paris')
    const leaving = new AbortController()
    for (let open = 0; open < 2; open += 1) {
      const watch = paris.watch(INSTRUCTIONS, { signal: leaving.signal })
      await watch[Symbol.asyncIterator]().next()
    }

    const third = await paris.watch(INSTRUCTIONS)[Symbol.asyncIterator]().next()
    leaving.abort()

    expect(third.value).toMatchObject({ status: 429 })
    await expect.poll(() => limits.open('watches')).toBe(0)
    await expect.poll(() => limits.open('streams')).toBe(0)
    expect(relay.waiting()).toBe(0)
    expect(limits.open('bytes')).toBe(0)
    expect((await paris.ask(INSTRUCTIONS)).status).toBe(200)
  })

  it('is bounded in streams, the hard way', async () => {
    const { as, limits } = await aDoor({ streams: two })
    const paris = await as('paris')
    const waiting = [paris.ask(WAITING), paris.ask(WAITING)]
    await expect.poll(() => limits.open('streams')).toBe(2)

    await expect(paris.ask(INSTRUCTIONS)).rejects.toThrow()

    for (const one of waiting) one.catch(() => {})
  })

  it('is bounded in answers that it has not read', async () => {
    const { as } = await aDoor({ unreadBytes: { perCaller: 1_000, inAll: 10_000, always: 0 } })
    const paris = await as('paris')

    const long = await paris.ask({ method: 'GET', path: '/openapi.json' })
    const short = await paris.ask(INSTRUCTIONS)

    expect([long.status, short.status]).toEqual([429, 200])
  })
})

describe('a connection', () => {
  const INSTRUCTIONS = { method: 'GET', path: '/instructions' }

  it.each([
    { what: 'compressed', how: { sendCompression: compressionGzip, compressMinBytes: 1 } },
    { what: 'in JSON', how: { useBinaryFormat: false } },
  ])('is told that a call cannot come $what', async ({ how }) => {
    const { as } = await aDoor()
    const paris = await as('paris', how)

    const code = await paris.ask(INSTRUCTIONS).catch(({ code }) => code)

    expect([Code.Unimplemented, Code.InvalidArgument]).toContain(code)
  })

  it.each([
    { what: 'a call', how: {} },
    { what: 'no call', how: { useBinaryFormat: false } },
    { what: 'compressed', how: { sendCompression: compressionGzip, compressMinBytes: 1 } },
  ])('holds no bytes of a message that was $what', async ({ how }) => {
    const { as, ports } = await aDoor()
    const paris = await as('paris', how)

    await paris.ask(INSTRUCTIONS).catch(() => undefined)

    expect(ports.share.loads.totals().bodyBytes).toBe(0)
  })

  it('is told of a method that there is not', async () => {
    const { url } = await aDoor()
    const session = connectHttp2(url, await identityOf('paris'))
    closing.push(() => session.destroy())
    const stream = session.request({ ':method': 'POST', ':path': '/bourse.v1.Broker/Guess' })
    stream.end(Buffer.alloc(5))

    const [headers] = await once(stream, 'response')

    expect(headers['grpc-status']).toBe(String(Code.Unimplemented))
  })

  it('has a small window for each stream, so that what is refused is not sent', async () => {
    const { url } = await aDoor()
    const session = connectHttp2(url, await identityOf('paris'))
    closing.push(() => session.destroy())

    const [settings] = await once(session, 'remoteSettings')

    expect(settings.initialWindowSize).toBe(16 * 1024)
  })

  it('carries a call and an answer that are longer than a window', async () => {
    const { as } = await aDoor()
    const paris = await as('paris')
    const labels = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`label-${at}`, 'x'.repeat(20)]),
    )
    const body = Buffer.from(JSON.stringify({ ...advertisement('paris'), labels }))

    const refused = await paris.ask({ method: 'POST', path: '/advertisements', body })
    const long = await paris.ask({ method: 'GET', path: '/openapi.json' })

    expect([refused.status, long.status]).toEqual([400, 200])
    expect(JSON.parse(Buffer.from(long.body).toString())).toHaveProperty('paths')
  })
})

function problemIn({ value }: IteratorResult<{ body: Uint8Array }, unknown>) {
  const { body } = value as { body: Uint8Array }
  return JSON.parse(Buffer.from(body).toString())
}
