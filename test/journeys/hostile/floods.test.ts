// Budget: 60 seconds as a sample; in full 25 seconds for each flood.
import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  createRawCaller,
  eventually,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { mainThreadMsOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import { figureOf } from './broker-figures.ts'
import { createFloods, type Flood } from './floods/flood.ts'
import type { FloodOrder, FloodReport } from './floods/flood-process.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const PROVIDERS = 30
/** Several, as each has no more credit than any other. */
const OPERATORS = ['ana', 'bob', 'eve', 'dan', 'joe']
const HELD_EACH = 240
/** The one that has many reservations, so that its lists are long. */
const HOLDER = 'mallory'
const DENIED = 'mallet'
const isFull = attackSize({ sample: false, full: true })
/** A sample is too short to use up the credit that a broker gives by default. */
const flags = [`--deny-clusters=${DENIED}`, ...(isFull ? [] : ['--rate-limit=150'])]
const FLOOD_MS = attackSize({ sample: 1_000, full: 20_000 })
/** Before each flood, as the machine and the ledger are not the same all the time. */
const ALONE_AGAIN_MS = attackSize({ sample: 0, full: 5_000 })
/** Between two requests of the polite cluster. */
const PAUSE_MS = 15
/** Between two heartbeats; each provider has one in half a minute, as agents do. */
const HEARTBEAT_MS = 1_000
/** In a sample a second decides, in which a busy machine may do anything. */
const WORK_SLACK_MS = attackSize({ sample: 60, full: 0 })
/** On a busy machine a second is not enough for as many as a median needs. */
const SAMPLES_MIN = 20
/** What the flood may take to get going, and a busy machine to notice. */
const WITHIN_MS = attackSize({ sample: 140_000, full: 60_000 })

/** `work`: what the broker's event loop did until the answer, which no other process changes. */
type Samples = Readonly<{ times: number[]; work: number[]; statuses: Set<number> }>
type Times = Readonly<Record<'p50' | 'p99' | 'workP50' | 'workP90' | 'workP99', number>>

describe('a polite cluster beside one that sends', () => {
  let broker: TestBroker
  let rome: RawCaller
  const alone = noSamples()
  let own = ''
  let flooder: ChildProcess
  let floods = 0
  let heartbeats: Promise<Set<number>>
  const over = new AbortController()
  const table: Record<string, object> = {}

  beforeAll(async () => {
    broker = await startBroker({ flags })
    rome = await broker.aRawCaller('rome', 1)
    flooder = fork(new URL('./floods/flood-process.ts', import.meta.url))
    const providers = await providersOf(broker)
    heartbeats = beat(providers, over.signal)
    own = await fill()
    await askPolitely(FLOOD_MS / 2, noSamples())
    await askPolitely(FLOOD_MS, alone)
  })
  afterAll(async () => {
    console.table({ alone: shown(timesOf(alone)), ...table })
    over.abort()
    await heartbeats
    flooder?.kill('SIGKILL')
    await broker?.dispose()
  })

  it.each(createFloods({ attacker: '', oldest: 0, own: '' }))('$name', async (flood) => {
    await askPolitely(ALONE_AGAIN_MS, alone)
    const attack = await startFlood(flood)
    onTestFinished(attack.stop)

    const { statuses, ...samples } = await askPolitely(FLOOD_MS, noSamples())
    // On a busy machine it takes a while until all credit is used up.
    if (!flood.isSilent)
      await eventually(
        'It is refused',
        () => attack.report()[flood.isCutOff ? 'cut' : 'refused'] > 0,
        WITHIN_MS,
      )
    const report = attack.report()
    const [before, during] = [timesOf(alone), timesOf(samples)]
    table[flood.name] = { ...shown(during), ...report }

    expect([...statuses]).toEqual([201])
    expect(during.workP50).toBeLessThanOrEqual(5 * before.workP50 + WORK_SLACK_MS)
    if (isFull) expect(during.p99).toBeLessThanOrEqual(5 * before.p99)
    expect(report.toldWhen).toBeGreaterThanOrEqual(report.refused)
  })

  it('nothing: all that was under way has ended', async () => {
    const gauges = ['requests_in_work', 'requests_waiting', 'body_bytes', 'unread_bytes']
    const left = () => Promise.all(gauges.map((name) => figureOf(broker, `broker_${name}`)))

    await expect.poll(left, { message: gauges.join() }).toEqual([0, 0, 0, 0])
  })

  it('anything: the providers were heard all the time', async () => {
    over.abort()

    expect([...(await heartbeats)]).toEqual([200])
  })

  /** As many reservations of the caller that floods as fill a page. */
  async function fill(): Promise<string> {
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

  async function startFlood({ name, byHolder, byDenied }: Flood) {
    // Each is another one with all its credit, where that is possible.
    const [named] = [byHolder && HOLDER, byDenied && DENIED].filter((one) => one !== undefined)
    const attacker = named ?? `mallory-${floods++}`
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
    await eventually('The flood is under way', () => report?.isUnderWay, WITHIN_MS)
    return {
      report: () => report ?? NOTHING,
      stop() {
        flooder.off('message', hear)
        flooder.send('stop')
      },
    }
  }

  async function askPolitely(forMs: number, samples: Samples): Promise<Samples> {
    const { times, work, statuses } = samples
    const until = performance.now() + forMs
    while (performance.now() < until || times.length < SAMPLES_MIN) {
      const startedAt = performance.now()
      const workedBefore = mainThreadMsOf(broker.pid)
      const { status } = await rome.post(RESERVATIONS, aRequest({ cpu: '1m' }))
      work.push(mainThreadMsOf(broker.pid) - workedBefore)
      times.push(performance.now() - startedAt)
      statuses.add(status)
      await sleep(PAUSE_MS)
    }
    return samples
  }
})

const NOTHING: FloodReport = { isUnderWay: false, answers: 0, refused: 0, toldWhen: 0, cut: 0 }

type Provider = Readonly<{ advertise(): Promise<number> }>

async function providersOf(broker: TestBroker): Promise<Provider[]> {
  const names = Array.from({ length: PROVIDERS }, (_, n) => `provider-${n}`)
  return Promise.all(
    names.map(async (name) => {
      const caller = await broker.aRawCaller(name, 1)
      const body = anAdvertisement(name, { cpu: '1000' })
      const advertise = async () => (await caller.post(ADVERTISEMENTS, body)).status
      await advertise()
      return { advertise }
    }),
  )
}

/** What the providers were answered, one after the other, until it is over. */
async function beat(providers: readonly Provider[], over: AbortSignal): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let turn = 0; !over.aborted; turn += 1) {
    const status = await providers[turn % providers.length]?.advertise()
    statuses.add(status ?? 0)
    await sleep(HEARTBEAT_MS)
  }
  return statuses
}

function noSamples(): Samples {
  return { times: [], work: [], statuses: new Set() }
}

function timesOf({ times, work }: Omit<Samples, 'statuses'>): Times {
  return {
    ...{ p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    ...{
      workP50: quantile(work, 0.5),
      workP90: quantile(work, 0.9),
      workP99: quantile(work, 0.99),
    },
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN
}

function shown(times: Times): object {
  return Object.fromEntries(
    Object.entries(times).map(([name, ms]) => [name, Number(ms.toFixed(1))]),
  )
}
