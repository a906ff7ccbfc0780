// Budget: 60 seconds as a sample; in full 20 seconds for each flood.
import { fork } from 'node:child_process'
import {
  anAdvertisement,
  eventually,
  quietPorts,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { startMosquitto, type TestMosquitto } from '@bourse/testkit/mosquitto'
import { rssMbOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import { figureOf } from './broker-figures.ts'
import { type CarrierOrder, type CarrierReport, carrierFloods } from './floods/carrier-floods.ts'
import { shown, type Times, timesOf } from './polite-cluster.ts'

const PROVIDERS = 30
const isFull = attackSize({ sample: false, full: true })
/** A sample is too short to use up the credit that a broker gives by default. */
const flags = isFull ? [] : ['--rate-limit=150']
const FLOOD_MS = attackSize({ sample: 1_000, full: 20_000 })
/** What the flood may take to get going, and a busy machine to notice. */
const WITHIN_MS = attackSize({ sample: 140_000, full: 60_000 })
/** In a sample a second decides, in which a busy machine may do anything. */
const WORK_SLACK_MS = attackSize({ sample: 60, full: 25 })
/** A caller's share of bodies and of answers, some times over. */
const GROWTH_MB_MAX = 200

describe('a polite cluster by REST beside one that sends by another carrier', () => {
  let certificates: TestCertificates
  let mosquitto: TestMosquitto
  let broker: TestBroker
  let rome: RawCaller
  let alone: Times
  let rssMb = 0
  let grpcUrl = ''
  const table: Record<string, object> = {}

  beforeAll(async () => {
    certificates = await makeTestCertificates()
    mosquitto = await startMosquitto(await certificates.forServer('mqtt-server'))
    const [port = 0] = await quietPorts(1)
    grpcUrl = `https://127.0.0.1:${port}`
    broker = await startBroker({ certificates, flags: [...flags, ...(await carriers(port))] })
    for (let made = 0; made < PROVIDERS; made += 1) await advertise(`provider-${made}`)
    rome = await broker.aRawCaller('rome', 1)
    await timesOf({ broker, polite: rome }, FLOOD_MS / 2)
    alone = await timesOf({ broker, polite: rome }, FLOOD_MS)
    rssMb = rssMbOf(broker.pid)
    table.alone = { ...shown(alone), rssMb }
  })
  afterAll(async () => {
    console.table(table)
    await broker?.dispose()
    await mosquitto?.stop()
    certificates?.dispose()
  })

  it.each(carrierFloods)('$by: $name', async ({ name, ends }) => {
    const attack = await startFlood(name)

    const during = await timesOf({ broker, polite: rome }, FLOOD_MS)
    const rssAfterMb = rssMbOf(broker.pid)
    if (ends !== 'charged') await eventually('It is refused', () => attack()[ends] > 0, WITHIN_MS)
    const report = attack()
    table[name] = { ...shown(during), ...report, rssMb: rssAfterMb }

    expect([...during.statuses]).toEqual([201])
    expect(during.workP50).toBeLessThanOrEqual(5 * alone.workP50 + WORK_SLACK_MS)
    if (isFull) expect(during.p99).toBeLessThanOrEqual(5 * alone.p99)
    expect(rssAfterMb).toBeLessThan(rssMb + GROWTH_MB_MAX)
    expect(report.toldWhen).toBe(report.refused)
  })

  it('nothing: all that was under way has ended', async () => {
    const names = ['streams', 'calls', 'watches', 'bytes']
    const figures = [
      ...names.map((what) => `broker_carrier_open{what="${what}"}`),
      'broker_body_bytes',
    ]

    const left = () => Promise.all(figures.map((figure) => figureOf(broker, figure)))

    await expect.poll(left, { message: figures.join() }).toEqual(figures.map(() => 0))
  })

  async function carriers(port: number): Promise<string[]> {
    const own = await certificates.forLeaf('mqtt', { commonName: 'broker', usages: ['client'] })
    return [
      '--broker-interface=http,grpc,mqtt',
      `--grpc-port=${port}`,
      `--mqtt-url=${mosquitto.url}`,
      `--mqtt-cert-path=${own}`,
    ]
  }

  async function advertise(name: string): Promise<void> {
    const provider = await broker.aRawCaller(name, 1)
    await provider.post('/api/v1/advertisements', anAdvertisement(name, { cpu: '1000' }))
    provider.close()
  }

  /** Each is another cluster with all its credit. */
  async function startFlood(name: string): Promise<() => CarrierReport> {
    const attacker = `mallory-${carrierFloods.findIndex((flood) => flood.name === name)}`
    const certPath = await certificates.forCluster(attacker)
    const order: CarrierOrder = { name, attacker, certPath, grpcUrl, mqttUrl: mosquitto.url }
    const child = fork(program, [JSON.stringify(order)])
    onTestFinished(() => void child.kill('SIGKILL'))
    let report: CarrierReport | undefined
    child.on('message', (told: CarrierReport) => {
      report = told
    })
    await eventually('The flood is under way', () => report?.isUnderWay, WITHIN_MS)
    return () => report ?? NOTHING
  }
})

const program = new URL('./floods/carrier-flood-process.ts', import.meta.url)
const NOTHING = { isUnderWay: false, answers: 0, refused: 0, toldWhen: 0, cut: 0 }
