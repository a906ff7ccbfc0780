// Budget: 60 seconds as a sample; in full 20 seconds for each flood.
import { type ChildProcess, fork } from 'node:child_process'
import {
  anAdvertisement,
  aRequest,
  createRawCaller,
  eventually,
  fetchAnew,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import { createFloods, type Flood } from './floods/flood.ts'
import type { FloodOrder, FloodReport } from './floods/flood-process.ts'
import { shown, type Times, timesOf } from './polite-cluster.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const PROVIDERS = 30
/** Several, as each has no more credit than anybody else. */
const OPERATORS = ['ana', 'bob', 'eve', 'dan', 'joe']
const HELD_EACH = 240
/** The one that has many reservations, so that its lists are long. */
const HOLDER = 'mallory'
const isFull = attackSize({ sample: false, full: true })
/** A sample is too short to use up the credit that a broker gives by default. */
const flags = isFull ? [] : ['--rate-limit=150']
const FLOOD_MS = attackSize({ sample: 1_000, full: 20_000 })
/** What the flood may take to get going, and a busy machine to notice. */
const STARTED_WITHIN_MS = 60_000
const REFUSED_WITHIN_MS = 60_000

describe('a polite cluster beside one that sends', () => {
  let broker: TestBroker
  let rome: RawCaller
  let alone: Times
  let own = ''
  let flooder: ChildProcess
  let floods = 0
  const table: Record<string, object> = {}
  const politeTimes = (forMs: number) => timesOf({ broker, polite: rome }, forMs)

  beforeAll(async () => {
    broker = await startBroker({ flags })
    rome = await broker.aRawCaller('rome', 1)
    flooder = fork(new URL('./floods/flood-process.ts', import.meta.url))
    own = await fill()
    await politeTimes(FLOOD_MS / 2)
    alone = await politeTimes(FLOOD_MS)
    table.alone = shown(alone)
  })
  afterAll(async () => {
    console.table(table)
    flooder?.kill('SIGKILL')
    await broker?.dispose()
  })

  it.each(createFloods({ attacker: '', oldest: 0, own: '' }))('$name', async (flood) => {
    const refusedBefore = await refusedCount()
    const attack = await startFlood(flood)
    onTestFinished(attack.stop)

    const during = await politeTimes(FLOOD_MS)
    // On a busy machine it takes a while until all credit is used up.
    if (!flood.isUnrefused)
      await eventually(
        'It is refused',
        async () =>
          flood.isDeaf ? (await refusedCount()) > refusedBefore : attack.report().refused > 0,
        REFUSED_WITHIN_MS,
      )
    const report = attack.report()
    table[flood.name] = { ...shown(during), ...report }

    expect([...during.statuses]).toEqual([201])
    expect(during.workP50).toBeLessThanOrEqual(5 * alone.workP50 + 25)
    if (isFull) expect(during.p99).toBeLessThanOrEqual(5 * alone.p99 + 10)
    expect(report.toldWhen).toBeGreaterThanOrEqual(report.refused)
  })

  it('nothing: all that was under way has ended', async () => {
    const gauges = 'requests_in_work|requests_waiting|body_bytes|unread_bytes'
    const counts = await eventually('Nothing is left', async () => {
      const found = [...(await metrics()).matchAll(new RegExp(`^broker_(${gauges}) (\\d+)$`, 'gm'))]
      return found.every(([, , count]) => count === '0') && found.length
    })

    expect(counts).toBe(4)
  })

  /** Providers, and as many reservations of the one who floods as fill a page. */
  async function fill(): Promise<string> {
    const names = Array.from({ length: PROVIDERS }, (_, n) => `provider-${n}`)
    for (const name of names) {
      const provider = await broker.aRawCaller(name, 1)
      await provider.post(ADVERTISEMENTS, anAdvertisement(name, { cpu: '1000' }))
      provider.close()
    }
    const ids = await Promise.all(OPERATORS.map(hold))
    return ids[0] ?? ''
  }

  async function hold(operator: string): Promise<string> {
    const certPath = await broker.certificates.forOperator(operator)
    const caller = createRawCaller({ url: broker.url, certPath, connectionsMax: 1 })
    const wish = aRequest({ cpu: '1m' }, { requesterID: HOLDER, duration: '1h' })
    let id = ''
    for (let held = 0; held < HELD_EACH; held += 1) {
      const { status, json } = await caller.post(RESERVATIONS, wish)
      expect(status).toBe(201)
      id = json.id
    }
    caller.close()
    return id
  }

  async function startFlood({ name, byHolder }: Flood) {
    // Each is another one with all its credit, where that is possible.
    const attacker = byHolder ? HOLDER : `mallory-${floods++}`
    const certPath = await broker.certificates.forCluster(attacker)
    const { port } = new URL(broker.url)
    const { index } = await rome.get('/api/v1/instructions')
    // The ring keeps 2,000 events at least.
    const oldest = Math.max(0, index - 1_900)
    const order: FloodOrder = { port: Number(port), certPath, name, attacker, own, oldest }
    let report: FloodReport | undefined
    const hear = (told: FloodReport) => {
      report = told
    }
    flooder.on('message', hear)
    flooder.send(order)
    await eventually('The flood is under way', () => report?.isUnderWay, STARTED_WITHIN_MS)
    return {
      report: () => report ?? NOTHING,
      stop() {
        flooder.off('message', hear)
        flooder.send('stop')
      },
    }
  }

  const metrics = async () => (await fetchAnew(broker.metricsUrl)).text()

  async function refusedCount(): Promise<number> {
    const counts = (await metrics()).matchAll(/^broker_refused_requests_total\{.*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
})

const NOTHING: FloodReport = { isUnderWay: false, answers: 0, refused: 0, toldWhen: 0 }
