import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LedgerView } from '@bourse/domain/ledger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WriterUnavailable } from '../ledger/writer/ledger-writer.ts'
import { createDashboardServer, type DashboardOptions } from './dashboard-server.ts'
import { createRecentRefusals } from './overview/recent-refusals.ts'

const TOKEN = 'a token of decent length'
const headers = { host: 'localhost:8090' }
let assetsDir: string

beforeAll(async () => {
  assetsDir = await mkdtemp(join(tmpdir(), 'dashboard-'))
  await mkdir(join(assetsDir, 'assets'))
  await writeFile(join(assetsDir, 'index.html'), '<!doctype html><title>bourse</title>')
  await writeFile(join(assetsDir, 'assets/index-abc123.js'), 'export {}')
})
afterAll(() => rm(assetsDir, { recursive: true }))

const emptyView: Partial<LedgerView> = {
  ledgerId: 'l',
  liveCount: 0,
  clusters: () => [],
  reservations: () => [],
  reservation: () => undefined,
}

async function aServer(given: Partial<DashboardOptions> = {}) {
  const faults: Error[] = []
  const { server } = await createDashboardServer({
    address: { host: '127.0.0.1', port: 0 },
    assetsDir,
    writer: {
      // Only what an empty ledger is asked for.
      read: async (query) => query(emptyView as LedgerView, 7),
      subscribe: () => () => {},
    },
    refusals: createRecentRefusals('USD'),
    history: { ended: async () => undefined },
    decisionOf: async () => undefined,
    explainAt: async () => undefined,
    currency: 'USD',
    audit: () => ({
      state: 'consistent',
      index: 7,
      at: 0,
      clusters: 0,
      reservations: 0,
      findings: [],
    }),
    now: () => 0,
    onFault: (cause) => faults.push(cause),
    ...given,
  })
  return { server, faults }
}

describe('every answer', () => {
  it.each([
    { url: '/', host: 'localhost', status: 200 },
    { url: '/data/overview', host: 'localhost', status: 200 },
    { url: '/nowhere', host: 'localhost', status: 404 },
    { url: '/data/overview', host: 'evil.example', status: 421 },
  ])('$status for $url at $host forbids foreign content', async ({ url, host, status }) => {
    const { server } = await aServer()

    const reply = await server.inject({ url, headers: { host } })

    expect(reply.statusCode).toBe(status)
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
    expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(reply.headers['content-security-policy']).not.toContain('unsafe')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    expect(reply.headers['referrer-policy']).toBe('same-origin')
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['/data/overview', '/%64ata/overview', '/data/%6fverview'])(
    '%s is not for other sites, and not kept',
    async (url) => {
      const { server } = await aServer()
      const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

      const own = await server.inject({ url, headers })
      const foreign = await server.inject({ url, headers: { ...headers, ...navigation } })

      expect(own.headers['cache-control']).toBe('no-store')
      expect(foreign.statusCode).toBe(403)
    },
  )

  it('changing anything is refused with what is allowed', async () => {
    const { server } = await aServer()

    const reply = await server.inject({ method: 'POST', url: '/data/overview', headers })

    expect(reply.statusCode).toBe(405)
    expect(reply.headers.allow).toBe('GET, HEAD')
  })
})

describe('the page', () => {
  it('hashed files are kept for ever, the page itself is asked for again', async () => {
    const { server } = await aServer()

    const script = await server.inject({ url: '/assets/index-abc123.js', headers })
    const page = await server.inject({ url: '/', headers })

    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(page.headers['cache-control']).toBe('no-cache')
  })

  it('an unchanged page costs no bytes', async () => {
    const { server } = await aServer()
    const { headers: known } = await server.inject({ url: '/', headers })

    const again = await server.inject({
      url: '/',
      headers: { ...headers, 'if-none-match': String(known.etag) },
    })

    expect(again.statusCode).toBe(304)
  })

  it('travels compressed to clients that accept gzip', async () => {
    const { server } = await aServer()

    const reply = await server.inject({
      url: '/',
      headers: { ...headers, 'accept-encoding': 'gzip' },
    })

    expect(reply.headers['content-encoding']).toBe('gzip')
  })

  it.each(['/../package.json', '/assets/../../secret', '/%2e%2e/secret', '/index.html.bak'])(
    'nothing outside the built page is served: %s',
    async (url) => {
      const { server } = await aServer()

      expect((await server.inject({ url, headers })).statusCode).toBe(404)
    },
  )

  it('says how to build it where it is not built', async () => {
    const { server } = await aServer({ assetsDir: join(assetsDir, 'missing') })

    const reply = await server.inject({ url: '/', headers })

    expect(reply.statusCode).toBe(503)
    expect(reply.body).toContain('npm run build -w @bourse/dashboard')
  })
})

describe('the data', () => {
  it('an empty ledger is an overview too', async () => {
    const { server } = await aServer()

    const reply = await server.inject({ url: '/data/overview', headers })

    expect(reply.json()).toMatchObject({ ledgerId: 'l', index: 7, clusters: [], decisions: [] })
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  it('a refused request is explained by its own id', async () => {
    const refusals = createRecentRefusals('USD')
    const request = { requester: 'rome', wanted: { cpu: 8_000n } }
    const shortfalls = [{ resource: 'cpu', wanted: 8_000n, available: 5_000n }]
    const row = {
      clusterId: 'paris',
      verdict: 'refused',
      refusal: 'Insufficient',
      shortfalls,
      allocatable: { cpu: 10_000n },
      available: { cpu: 5_000n },
    } as const
    const ranking = { policy: 'p', request, rows: [row] }
    const id = refusals.record({ ranking, at: 0, index: 7 })
    const { server } = await aServer({ refusals })

    const reply = await server.inject({ url: `/data/reservations/${id}/explanation`, headers })

    expect(reply.json()).toMatchObject({
      outcome: 'refused',
      refused: { Insufficient: 1 },
      rows: [{ shortfalls: [{ resource: 'cpu', wanted: 8_000, available: 5_000 }] }],
    })
  })

  it('an unknown id is 404 with a sentence', async () => {
    const { server } = await aServer()

    const reply = await server.inject({ url: '/data/reservations/rsv-x-1/explanation', headers })

    expect(reply.statusCode).toBe(404)
    expect(reply.json().detail).toBe('Nothing is known about rsv-x-1.')
  })

  it('a ledger that cannot be read now is 503 with Retry-After', async () => {
    const { server } = await aServer({
      decisionOf: async () => undefined,
      history: { ended: () => Promise.reject(new WriterUnavailable('The disk is full.', 3)) },
    })

    const reply = await server.inject({ url: '/data/reservations/rsv-x-1/explanation', headers })

    expect(reply.statusCode).toBe(503)
    expect(reply.headers['retry-after']).toBe('3')
  })

  it('a fault is reported to the log and not to the reader', async () => {
    const { server, faults } = await aServer({
      history: { ended: () => Promise.reject(new Error('/var/lib/secret is gone')) },
    })

    const reply = await server.inject({ url: '/data/reservations/rsv-x-1/explanation', headers })

    expect(reply.statusCode).toBe(500)
    expect(reply.body).not.toContain('secret')
    expect(faults).toMatchObject([{ message: '/var/lib/secret is gone' }])
  })
})

describe('with a token', () => {
  const address = { host: '0.0.0.0', port: 0 }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }

  it('outside loopback refuses to start without one', async () => {
    await expect(aServer({ address })).rejects.toThrow(/without a token/)
  })

  it.each([
    { url: '/', status: 303 },
    { url: '/assets/index-abc123.js', status: 401 },
    { url: '/data/overview', status: 401 },
    { url: '/data/stream', status: 401 },
    { url: '/sign-in', status: 200 },
  ])('$url answers $status to a stranger', async ({ url, status }) => {
    const { server } = await aServer({ address, token: TOKEN })

    expect((await server.inject({ url, headers })).statusCode).toBe(status)
  })

  it('signing in once opens everything', async () => {
    const { server } = await aServer({ address, token: TOKEN })
    const payload = `token=${encodeURIComponent(TOKEN)}`

    const welcome = await server.inject({ method: 'POST', url: '/sign-in', headers: form, payload })
    const cookie = String(welcome.headers['set-cookie']).split(';')[0] ?? ''
    const data = await server.inject({ url: '/data/overview', headers: { ...headers, cookie } })

    expect(welcome.statusCode).toBe(303)
    expect(data.statusCode).toBe(200)
  })

  it('a bearer token is enough for a script', async () => {
    const { server } = await aServer({ address, token: TOKEN })
    const authorization = `Bearer ${TOKEN}`

    const reply = await server.inject({
      url: '/data/overview',
      headers: { ...headers, authorization },
    })

    expect(reply.statusCode).toBe(200)
  })

  it('a wrong token is refused and not repeated', async () => {
    const { server } = await aServer({ address, token: TOKEN })
    const payload = 'token=<script>guess</script>'

    const reply = await server.inject({ method: 'POST', url: '/sign-in', headers: form, payload })

    expect(reply.statusCode).toBe(403)
    expect(reply.headers['set-cookie']).toBeUndefined()
    expect(reply.body).not.toContain('guess')
  })

  it.each([
    { url: '/data/overview', status: 401 },
    { url: '/%64ata/overview', status: 401 },
    { url: '/data/%6fverview', status: 401 },
    { url: '/%64ata/stream', status: 401 },
    { url: '/%73ign-in', status: 200 },
    { url: '/sign%2Din', status: 200 },
    { url: '/sign-in/../data/overview', status: 401 },
  ])('$url meets the rules of its route: $status', async ({ url, status }) => {
    const { server } = await aServer({ address, token: TOKEN })

    expect((await server.inject({ url, headers })).statusCode).toBe(status)
  })

  it('wrong tokens by header are slowed down, and a right one from elsewhere is not', async () => {
    const pauses: number[] = []
    const { server } = await aServer({
      address,
      token: TOKEN,
      pause: async (ms) => void pauses.push(ms),
    })
    const ask = (token: string, remoteAddress: string) =>
      server.inject({
        url: '/data/overview',
        remoteAddress,
        headers: { ...headers, authorization: `Bearer ${token}` },
      })
    for (let tries = 0; tries < 11; tries += 1) await ask('a guess', '10.0.0.1')

    const operator = await ask(TOKEN, '10.0.0.2')

    expect(operator.statusCode).toBe(200)
    expect(pauses).toEqual([3_000])
  })

  it('a huge form is refused', async () => {
    const { server } = await aServer({ address, token: TOKEN })
    const payload = `token=${'x'.repeat(5_000)}`

    const reply = await server.inject({ method: 'POST', url: '/sign-in', headers: form, payload })

    expect(reply.statusCode).toBe(413)
  })
})
