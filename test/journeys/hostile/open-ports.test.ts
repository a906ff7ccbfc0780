// Budget: 30 seconds as a sample; in full 20 seconds for each flood.
import { Agent, get, request } from 'node:http'
import { request as requestSecurely, Agent as SecureAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { mainThreadMsOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import { identityOf } from './newcomer.ts'

/** As many as a port without authentication keeps; all of them ask without a pause. */
const CONNECTIONS = 200
const CLUSTERS = attackSize({ sample: 50, full: 400 })
const FLOOD_MS = attackSize({ sample: 2_000, full: 20_000 })
/** What one process can send is too little to use up the credit that a broker gives by default. */
const flags = ['--rate-limit=300']
const PAUSE_MS = 15
const SAMPLES_MIN = 20
/** What the broker's main thread does until a polite caller is answered, against without a flood. */
const WORK_RATIO_MAX = 5
/** A sample beside other tests: what it is about takes hundreds. */
const WORK_SLACK_MS = attackSize({ sample: 60, full: 5 })

describe('a flood of', () => {
  let broker: TestBroker
  let rome: RawCaller
  let aloneMs = 0

  beforeAll(async () => {
    broker = await startBroker({ flags })
    for (let nth = 0; nth < CLUSTERS; nth += 1) {
      const provider = await broker.aRawCaller(`provider-${nth}`, 1)
      await provider.post('/api/v1/advertisements', anAdvertisement(`provider-${nth}`))
      provider.close()
    }
    rome = await broker.aRawCaller('rome', 1)
    await workMs()
    aloneMs = await workMs()
  })
  afterAll(() => broker?.dispose())

  it.each(['/metrics', '/healthz', '/readyz', '/leaderz'])(
    '%s keeps no other caller out',
    async (path) => {
      const url = path === '/metrics' ? broker.metricsUrl : `${broker.healthUrl}${path}`
      const flood = startFlood(() => ask(url))
      onTestFinished(flood.stop)
      await eventually('The flood is under way', () => flood.answers() > 0)

      const during = await workMs()
      // Another address is asked in its turn.
      const probe = await fetchFrom('127.0.0.2', `${broker.healthUrl}/healthz`)

      expect(during).toBeLessThanOrEqual(WORK_RATIO_MAX * aloneMs + WORK_SLACK_MS)
      expect(probe).toBe(200)
    },
  )

  it('the API with unknown expectations is charged and refused', async () => {
    const identity = await identityOf(broker.certificates, 'mallory')
    const agent = new SecureAgent({ ...identity, keepAlive: true, maxSockets: 64 })
    onTestFinished(() => agent.destroy())
    const statuses = new Set<number>()
    const flood = startFlood(
      () =>
        new Promise<void>((resolve) => {
          const headers = { expect: 'the unexpected' }
          const asked = requestSecurely(`${broker.url}/api/v1/instructions`, { agent, headers })
          asked.once('response', (response) => {
            statuses.add(response.statusCode ?? 0)
            response.resume().once('close', resolve)
          })
          asked.once('error', () => resolve()).end()
        }),
    )
    onTestFinished(flood.stop)
    await eventually('It is refused', () => statuses.has(429), 60_000)

    expect(statuses).not.toContain(417)
    expect(await workMs()).toBeLessThanOrEqual(WORK_RATIO_MAX * aloneMs + WORK_SLACK_MS)
  })

  it('the ports leaves the counts of its connections in the metrics and in /readyz', async () => {
    const metrics = await (await fetchAnew(broker.metricsUrl)).text()
    const ready = await (await fetchAnew(`${broker.healthUrl}/readyz`)).text()

    expect(metrics).toMatch(/^broker_connections\{port="api",state="open"\} [1-9]/m)
    expect(metrics).toMatch(/^broker_connections\{port="metrics",state="open"\} [1-9]/m)
    expect(ready).toMatch(/"connections":"[^"]*api \d+ of/)
  })

  /** The median, while rome reserves again and again. */
  async function workMs(): Promise<number> {
    const work: number[] = []
    const until = performance.now() + FLOOD_MS
    while (performance.now() < until || work.length < SAMPLES_MIN) {
      const before = mainThreadMsOf(broker.pid)
      const { status } = await rome.post('/api/v1/reservations', aRequest({ cpu: '1m' }))
      work.push(mainThreadMsOf(broker.pid) - before)
      expect(status).toBe(201)
      await sleep(PAUSE_MS)
    }
    return work.sort((left, right) => left - right)[Math.floor(work.length / 2)] ?? Number.NaN
  }
})

/** So many ask at the same time, and again as soon as they are answered. */
function startFlood(one: () => Promise<void>) {
  let isOver = false
  let answers = 0
  const all = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      await one()
      answers += 1
    }
  })
  return {
    answers: () => answers,
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
}

const kept = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

function ask(url: string): Promise<void> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: kept, timeout: 60_000 })
    asked.once('response', (response) => response.resume().once('close', () => resolve()))
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => resolve()).end()
  })
}

function fetchFrom(localAddress: string, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, localAddress, timeout: 20_000 })
    asked.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', reject)
  })
}
