import {
  anAdvertisement,
  eventually,
  fetchAnew,
  quietPorts,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { startMosquitto, type TestMosquitto } from '@bourse/testkit/mosquitto'
import { connectAsync } from 'mqtt'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTransportClients } from '../../fixtures/transport-clients.ts'
import { describeCommunicator, nextWith } from '../communicator/broker-communicator.contract.ts'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { describePeerings } from '../communicator/broker-peerings.contract.ts'
import { createCertificateFiles } from '../http/certificate-files.ts'
import { openMqttBroker } from './mqtt-broker.ts'

const DEEP = `${'['.repeat(400_000)}${']'.repeat(400_000)}`

let certificates: TestCertificates
let server: TestMosquitto
let spare: TestMosquitto
let broker: TestBroker
const { keep, closeAll, reserveFor } = createTransportClients(() => broker.anOperator())

beforeAll(async () => {
  certificates = await makeTestCertificates()
  const files = await certificates.forServer('mqtt-server')
  server = await startMosquitto(files)
  spare = await startMosquitto(files)
  const own = await certificates.forLeaf('mqtt', { commonName: 'broker', usages: ['client'] })
  broker = await startBroker({
    certificates,
    flags: [
      '--broker-interface=http,mqtt',
      `--mqtt-url=${server.url},${spare.url}`,
      `--mqtt-cert-path=${own}`,
    ],
  })
})
afterAll(async () => {
  await broker?.dispose()
  await Promise.all([server?.stop(), spare?.stop()])
  certificates?.dispose()
})

async function connect(clusterId: string): Promise<BrokerCommunicator> {
  return connectWith(clusterId, await certificates.forCluster(clusterId))
}

function connectWith(
  clusterId: string,
  certPath: string,
  url: string = server.url,
): BrokerCommunicator {
  return keep(openMqttBroker({ url, clusterId, certPath }))
}

describeCommunicator('the MQTT transport', async () => ({ connect, reserveFor, close: closeAll }))
describePeerings('the MQTT transport', async () => ({ connect, close: closeAll }))

describe('the MQTT door', () => {
  afterEach(closeAll)

  it('accepts no call in the name of another: the access list goes by certificates', async () => {
    const mallory = openMqttBroker({
      url: server.url,
      clusterId: 'victim',
      certPath: await certificates.forCluster('mallory'),
      retry: { attemptsMax: 1 },
    })
    keep(mallory)

    await expect(mallory.fetchInstructions()).rejects.toThrow(/Not authorized|authori[sz]ed/)
  })

  it('answers nowhere but in the topics of who asks', async () => {
    const files = createCertificateFiles(await certificates.forCluster('mallory'), Date.now)
    const raw = await connectAsync(server.url, { ...(await files.current()), protocolVersion: 5 })

    await raw.publishAsync('bourse/v1/mallory/calls', '{"method":"GET","path":"/instructions"}', {
      qos: 1,
      properties: { responseTopic: 'bourse/v1/victim/answers/x' },
    })

    await eventually('The refusal', () =>
      broker.logs().includes('a call by MQTT without a topic for its answer'),
    )
    await raw.endAsync()
  })

  it.each([
    { name: 'null', payload: 'null' },
    { name: 'a number', payload: '7' },
    { name: 'half of one', payload: '{' },
    { name: 'nothing', payload: '' },
    { name: 'no path', payload: '{"method":"GET"}' },
    { name: 'no method', payload: '{"path":{}}' },
    { name: 'a path of its own make', payload: '{"method":"GET","path":{"toString":1}}' },
    { name: 'a stream with a dot', payload: '{"method":"GET","path":"/./events"}' },
    { name: 'a stream with an escape', payload: '{"method":"GET","path":"/%65vents"}' },
    { name: 'brackets without end', payload: '['.repeat(900_000) },
    { name: 'deep brackets', payload: `{"method":"POST","path":"/x","body":${DEEP}}` },
  ])('answers a call that makes no sense: $name', async ({ payload }) => {
    const files = createCertificateFiles(await certificates.forCluster('odd'), Date.now)
    const raw = await connectAsync(server.url, { ...(await files.current()), protocolVersion: 5 })
    const answersTo = 'bourse/v1/odd/answers/x'
    await raw.subscribeAsync(answersTo, { qos: 1 })
    const answered = new Promise<string>((resolve) =>
      raw.once('message', (_, answer) => resolve(answer.toString('utf8'))),
    )

    const properties = { responseTopic: answersTo }
    await raw.publishAsync('bourse/v1/odd/calls', payload, { qos: 1, properties })

    expect(JSON.parse(await answered).status).toBeOneOf([400, 404])
    await raw.endAsync()
    expect(broker.logs()).not.toContain('a call by MQTT failed')
  })

  it('writes to no foreign topic, and reports a flood once', async () => {
    const files = createCertificateFiles(await certificates.forCluster('flood'), Date.now)
    const raw = await connectAsync(server.url, { ...(await files.current()), protocolVersion: 5 })
    const connections = () => broker.logs().split('connected to the MQTT server').length
    const before = connections()
    const topics = ['', 'a/b', 'x y', 'x'.repeat(60_000)]

    for (let round = 0; round < 20; round += 1)
      for (const topic of topics)
        await raw.publishAsync('bourse/v1/flood/calls', '{"method":"GET","path":"/instructions"}', {
          qos: 1,
          properties: { responseTopic: `bourse/v1/flood/answers/${topic}` },
        })

    const after = await connect('after-flood')
    expect(await after.fetchInstructions()).toMatchObject({ instructions: [] })
    expect(connections()).toBe(before)
    const lines = broker
      .logs()
      .split('\n')
      .filter((line) => line.includes('"clusterId":"flood"'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThan(topics.length * 5)
    await raw.endAsync()
  })

  it('continues after an outage of the MQTT server, and reports what was missed', async () => {
    const paris = await connect('away-paris')
    await paris.publishAdvertisement(anAdvertisement('away-paris', { cpu: '8' }))
    const ending = new AbortController()
    const watching = paris.watchInstructions({ signal: ending.signal })[Symbol.asyncIterator]()
    await watching.next()

    await server.restart()
    const rome = await broker.aClient('away-rome')
    const wanted = { requestedResources: { cpu: '2' }, targetClusterID: 'away-paris' }
    await rome.requestReservation(wanted)
    await nextWith(watching, 1)
    ending.abort()
  })

  it('is reported as down while its servers are away; the broker keeps running', async () => {
    await Promise.all([server.kill(), spare.kill()])
    await eventually('it is shut', async () => (await figure()) === '0')
    const readiness = await fetchAnew(`${broker.healthUrl}/readyz`)
    const { checks } = (await readiness.json()) as { checks: Record<string, string> }

    await server.restart()
    onTestFinished(() => spare.restart())

    await eventually('it is open again', async () => (await figure()) === '1', 60_000)
    expect(readiness.status).toBe(200)
    expect(checks.mqtt).toContain(`no connection to ${server.url}`)
    expect(checks.mqtt).toContain(`no connection to ${spare.url}`)
  })
})

describe('several MQTT servers', () => {
  afterEach(closeAll)

  const connectBy = async (clusterId: string, ...urls: string[]) =>
    connectWith(clusterId, await certificates.forCluster(clusterId), urls.join(','))

  it('are tried in turn until one is there', async () => {
    const [unused] = await quietPorts(1)
    const paris = await connectBy('turn-paris', `mqtts://127.0.0.1:${unused}`, server.url)

    const { advertisement } = await paris.publishAdvertisement(anAdvertisement('turn-paris'))

    expect(advertisement.clusterID).toBe('turn-paris')
  })

  it('are tried in turn until a broker is connected to one', async () => {
    const lonely = await startMosquitto(await certificates.forServer('mqtt-server'))
    onTestFinished(() => lonely.stop())
    const [clusterId, timeoutMs] = ['lonely-paris', 120_000]
    const certPath = await certificates.forCluster(clusterId)
    const url = `${lonely.url},${server.url}`
    const paris = keep(openMqttBroker({ url, clusterId, certPath, timeoutMs }))
    const beganAt = performance.now()

    const answer = await paris.fetchInstructions()

    expect(answer.instructions).toEqual([])
    // The server says at once that no broker listens: no call has to time out.
    expect(performance.now() - beganAt).toBeLessThan(timeoutMs)
  })

  it('replace each other, and what was missed in between is reported', async () => {
    const paris = await connectBy('moved-paris', server.url, spare.url)
    await paris.publishAdvertisement(anAdvertisement('moved-paris', { cpu: '8' }))
    const ending = new AbortController()
    const watching = paris.watchInstructions({ signal: ending.signal })[Symbol.asyncIterator]()
    await watching.next()

    await server.kill()
    onTestFinished(() => server.restart())
    const rome = await broker.aClient('moved-rome')
    const wanted = { requestedResources: { cpu: '2' }, targetClusterID: 'moved-paris' }
    await rome.requestReservation(wanted)
    await nextWith(watching, 1)
    ending.abort()
    expect(await figure()).toBe('1')
  })

  it('must be MQTT servers', () => {
    const mixed = { url: `${server.url},https://x`, clusterId: 'rome', certPath: '/nowhere' }

    expect(() => openMqttBroker(mixed)).toThrow(
      '"https://x" is not a valid broker address: use mqtts://',
    )
  })
})

async function figure(): Promise<string | undefined> {
  const text = await (await fetchAnew(broker.metricsUrl)).text()
  return /^broker_door_open\{door="mqtt"\} (\d)$/m.exec(text)?.[1]
}
