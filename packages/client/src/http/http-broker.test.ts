import { cpSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { makeTestCertificates } from '@bourse/testkit/certificates'
import { playBroker, type Scene, type ScriptedBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { afterEach, describe, expect, it } from 'vitest'
import { RESERVATION, WANTED } from '../../fixtures/http/granted.ts'
import { createHttpBroker, type HttpBrokerOptions } from './http-broker.ts'

const GRANTED: Scene = { status: 201, body: RESERVATION, headers: STAMP }
const BUSY = { status: 503, body: { detail: 'starting' }, headers: STAMP }

const { play, closeLater, certificates, rome } = useScriptedBrokers()
let pauses: number[] = []
afterEach(() => {
  pauses = []
})

describe('retries', () => {
  it('repeats a reservation with the same request id until it is answered', async () => {
    const { broker, script } = await start(BUSY, 'hang up', GRANTED)

    const outcome = await broker.requestReservation(WANTED)

    const ids = script.heard.map(({ body }) => (body as { requestId: string }).requestId)
    expect(outcome).toMatchObject({ kind: 'reserved', isNew: true, requestId: ids[0] })
    expect(ids).toEqual([ids[0], ids[0], ids[0]])
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("keeps the caller's own request id", async () => {
    const { broker, script } = await start(GRANTED)

    await broker.requestReservation({ ...WANTED, requestId: 'job-7' })

    expect(script.heard[0]?.body).toEqual({ ...WANTED, requestId: 'job-7' })
  })

  it('waits at least as long as Retry-After says, with jitter on top', async () => {
    const busy = { ...BUSY, headers: { ...STAMP, 'retry-after': '2' } }
    const { broker } = await start(busy, { ...busy, status: 429 }, GRANTED)

    await broker.requestReservation(WANTED)

    expect(pauses).toEqual([2_050, 2_100]) // random is ½: half of 100 ms, then half of 200
  })

  it('gives up after its attempts and says what the broker said', async () => {
    const { broker, script } = await start(BUSY)

    await expect(broker.audit()).rejects.toMatchObject({ name: 'BrokerBusy', message: 'starting' })
    expect(script.heard).toHaveLength(8)
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 2_500])
  })

  it('gives up at once when Retry-After is beyond its budget', async () => {
    const { broker, script } = await start({ ...BUSY, headers: { 'retry-after': '120' } })

    await expect(broker.audit()).rejects.toMatchObject({ retryAfterMs: 120_000 })
    expect(script.heard).toHaveLength(1)
  })

  it.each([400, 403, 404, 413, 422])('never repeats a %i', async (status) => {
    const { broker, script } = await start({
      status,
      body: { detail: 'no', code: 'InvalidRequest' },
    })

    await expect(broker.requestReservation(WANTED)).rejects.toMatchObject({
      name: 'BrokerRefused',
      message: 'no',
      status,
    })
    expect(script.heard).toHaveLength(1)
  })

  it('names the fields of a refusal', async () => {
    const fields = [{ path: 'requestedResources.cpu', message: 'is negative' }]
    const { broker } = await start({
      status: 400,
      body: { detail: 'no', code: 'InvalidRequest', fields },
    })

    await expect(broker.evaluate(WANTED)).rejects.toMatchObject({ code: 'InvalidRequest', fields })
  })
})

describe('time-outs', () => {
  it.each([
    {
      scene: 'stay silent' as const,
      timeouts: { headersMs: 50 },
      timedOut: 'headers',
      says: 'did not answer in time',
    },
    {
      scene: 'stop midway' as const,
      timeouts: { bodyMs: 50 },
      timedOut: 'body',
      says: 'stopped in the middle',
    },
  ])('names the one that ran out: $timedOut', async ({ scene, timeouts, timedOut, says }) => {
    const { broker } = await startWith({ timeouts, retry: { attemptsMax: 1 } }, scene)

    await expect(broker.audit()).rejects.toMatchObject({
      name: 'BrokerUnreachable',
      timedOut,
      message: expect.stringContaining(says),
    })
  })

  it('gives a long poll its wait on top', async () => {
    const late = (_: unknown, response: ServerResponse) =>
      setTimeout(() => response.writeHead(200, STAMP).end('[]'), 300)
    const { broker, script } = await startWith({ timeouts: { headersMs: 100 } }, late)

    const answer = await broker.fetchInstructions({ waitMs: 30_000, after: 3 })

    expect(answer).toMatchObject({ instructions: [], ledgerId: 'ledger-1', index: 7 })
    expect(script.heard[0]?.line).toBe('GET /api/v1/instructions?wait=30000ms&after=3')
  })

  it('says so when no server listens', async () => {
    const broker = client('https://127.0.0.1:1', rome())

    await expect(broker.ping()).rejects.toMatchObject({
      name: 'BrokerUnreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('certificates', () => {
  it('refuses a broker that our authority did not sign', async () => {
    const strangers = await makeTestCertificates()
    const script = await playBroker(await strangers.forServer(), [GRANTED])
    closeLater(script)

    await expect(client(script.url, rome()).ping()).rejects.toMatchObject({
      name: 'IdentityRefused',
      message: expect.stringContaining('is not trusted here'),
      isWrongAddress: false,
    })
    strangers.dispose()
  })

  it('refuses a broker whose certificate is for another address, with its own fault', async () => {
    const elsewhere = await certificates().forLeaf('elsewhere', {
      commonName: 'broker',
      usages: ['server'],
      dns: ['broker.example.org'],
    })
    const script = closeLater(await playBroker(elsewhere, [GRANTED]))

    await expect(client(script.url, rome()).ping()).rejects.toMatchObject({
      name: 'IdentityRefused',
      message: expect.stringContaining("127.0.0.1 is not in the cert's list"),
      isWrongAddress: true,
    })
  })

  it('says so when the broker does not accept ours', async () => {
    const script = await play(GRANTED)
    const expired = await certificates().forLeaf(
      'expired',
      { commonName: 'old', usages: ['client'] },
      -2,
    )

    await expect(client(script.url, expired, {}, { now: Date.now() }).ping()).rejects.toMatchObject(
      {
        name: 'IdentityRefused',
        message: expect.stringContaining('did not accept our certificate: it expired on'),
      },
    )
  })

  it('names the file that is missing', async () => {
    await expect(client('https://127.0.0.1:1', '/nowhere').ping()).rejects.toMatchObject({
      name: 'IdentityRefused',
      message: expect.stringContaining('/nowhere/tls.crt cannot be read'),
    })
  })

  it('calls with the new certificate once its files have changed', async () => {
    const moving = await certificates().forLeaf('moving', {
      commonName: 'before',
      usages: ['client'],
    })
    const { broker, script, clock } = await startWith(
      { certPath: moving },
      { status: 200, body: {} },
    )
    await broker.ping()

    cpSync(await certificates().forCluster('after'), moving, { recursive: true })
    clock.now += 2_000
    await broker.ping()

    expect(script.heard.map(({ caller }) => caller)).toEqual(['before', 'after'])
  })
})

describe('watching', () => {
  const at = (index: number, ids: readonly string[]): Scene => ({
    status: 200,
    body: ids.map((id) => ({ ...RESERVATION, id })),
    headers: { 'bourse-ledger': 'ledger-1', 'bourse-index': String(index) },
  })

  it('asks from where the last answer was, also across a failure', async () => {
    const { broker, script } = await start(at(4, []), at(9, ['a']), BUSY, at(9, ['a']), at(12, []))
    const ending = new AbortController()
    const seen: unknown[] = []

    for await (const answer of broker.watchInstructions({ signal: ending.signal, waitMs: 1_000 })) {
      seen.push([answer.index, answer.instructions.map(({ id }) => id)])
      if (answer.index === 12) ending.abort()
    }

    expect(seen).toEqual([
      [4, []],
      [9, ['a']],
      [12, []],
    ])
    expect(script.heard.map(({ line }) => line.replace('GET /api/v1/instructions', ''))).toEqual([
      '',
      '?wait=1000ms&after=4',
      '?wait=1000ms&after=9',
      '?wait=1000ms&after=9',
      '?wait=1000ms&after=9',
    ])
  })

  it('reads events however they are cut, and resumes after the last one', async () => {
    const event = (index: number) =>
      `id: ${index}\nevent: reset\ndata: {"kind":"reset","index":${index}}\n\n`
    const stream =
      (...chunks: string[]) =>
      (_: unknown, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
        for (const chunk of chunks) response.write(chunk)
        response.end()
      }
    const lastIds: unknown[] = []
    const second: Scene = (request, response) => {
      lastIds.push(request.headers['last-event-id'])
      stream(event(6))(request, response)
    }
    const { broker } = await start(
      stream(`: hello\n\n${event(5).slice(0, 20)}`, event(5).slice(20)),
      second,
    )
    const ending = new AbortController()
    const seen: number[] = []

    for await (const { index } of broker.events({ signal: ending.signal })) {
      seen.push(index)
      if (index === 6) ending.abort()
    }

    expect(seen).toEqual([5, 6])
    expect(lastIds).toEqual(['5'])
  })
})

describe('answers', () => {
  it('are distinguished from the answers of a web server', async () => {
    const { broker } = await start({ status: 200, body: '<html>welcome</html>' })

    await expect(broker.fetchInstructions()).rejects.toMatchObject({ name: 'BadAnswer' })
  })

  it('say by how much the clock of the broker differs', async () => {
    const { broker, clock } = await start({ status: 200, body: [], headers: STAMP })
    clock.now = Date.now() - 3_600_000

    const { brokerTimeOffsetMs } = await broker.fetchInstructions()

    expect(Math.abs((brokerTimeOffsetMs ?? 0) - 3_600_000)).toBeLessThan(60_000)
  })

  it('give the clock of the broker at their arrival, however long they took', async () => {
    const { broker, clock } = await start((_, response) => {
      clock.now += 30_000
      response.writeHead(200, { ...STAMP, date: new Date(clock.now).toUTCString() }).end('[]')
    })

    const { brokerTimeOffsetMs } = await broker.fetchInstructions({ waitMs: 60_000 })

    expect(Math.abs(brokerTimeOffsetMs ?? Number.NaN)).toBeLessThan(1_000)
  })

  it('end what is under way when the client is closed', async () => {
    const { broker, script } = await start('stay silent')
    const waiting = broker.fetchInstructions({ waitMs: 30_000 })
    const outcome = waiting.catch(({ name }: Error) => name)

    await expect.poll(() => script.heard.length).toBe(1)
    await broker.close()

    expect(await outcome).toBe('ClientClosed')
    await expect(broker.ping()).rejects.toMatchObject({ name: 'ClientClosed' })
  })
})

it('refuses an address that is not https', () => {
  expect(() => client('http://127.0.0.1:8443', rome())).toThrow('use https://HOST:PORT')
})

type Settings = Partial<HttpBrokerOptions>
type Started = {
  broker: ReturnType<typeof createHttpBroker>
  script: ScriptedBroker
  clock: { now: number }
}

function start(...scenes: [Scene, ...Scene[]]): Promise<Started> {
  return startWith({}, ...scenes)
}

async function startWith(settings: Settings, ...scenes: [Scene, ...Scene[]]): Promise<Started> {
  const script = await play(...scenes)
  const clock = { now: Date.now() }
  const broker = client(script.url, rome(), settings, clock)
  closeLater(broker)
  return { broker, script, clock }
}

function client(url: string, certPath: string, settings: Settings = {}, clock = { now: 0 }) {
  return createHttpBroker({
    url,
    certPath,
    ...settings,
    clock: {
      now: () => clock.now,
      random: () => 0.5,
      sleep: async (ms) => {
        pauses.push(ms)
      },
    },
  })
}
