import { randomUUID } from 'node:crypto'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { ALL_CALLS_TOPIC, encodeAnswer, mqttAddress } from '@bourse/contract/mqtt'
import type { RelayedAnswer } from '@bourse/contract/relayed'
import { type IClientOptions, type IPublishPacket, MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { within } from '../../background/within.ts'
import { createSeldom } from '../../cache/seldom.ts'
import type { FairShare } from '../../fair-share/index.ts'
import { readTlsFiles, type TlsFiles } from '../../http/tls/tls-files.ts'
import { watchTlsFiles } from '../../http/tls/watch-tls-files.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import type { CarriedShare } from '../relay/charge-carried.ts'
import type { Relay } from '../relay/create-relay.ts'
import { createHearing } from './hear-calls.ts'
import { leaveOut } from './leave-out.ts'
import { publishOnce } from './publish-once.ts'
import { type Addressed, readAddress } from './read-call.ts'
import { openServerStream } from './server-stream.ts'
import { takeTurns } from './take-turns.ts'
import { createTellings } from './tellings.ts'

type Ports = Readonly<{
  relay: Relay
  limits: CarrierLimits
  share: CarriedShare & Pick<FairShare, 'line'>
  now(): number
  log: Logger
}>
type Settings = Readonly<{
  /** `mqtts://host:port` of the MQTT server. */
  url: string
  /** A directory with tls.crt, tls.key and ca.crt, for a client of that server. */
  certPath: string
}>

/** Calls that the server may send before the first of them is taken; see `carrier-limits`. */
const CALLS_MAX = 1_000
/** A sender of nonsense is worth a line, not a line for each message. */
const COMPLAINT_MS = 10_000
const PACKET_BYTES_MAX = BODY_BYTES_MAX + 16 * 1024
const RECONNECT_MS = 1_000

/** One door, by as many servers as there are: a cluster may come by any of them. */
export async function openMqttDoor(
  ports: Ports,
  { urls, certPath }: Readonly<{ urls: readonly string[]; certPath: string }>,
) {
  const servers = await Promise.all(urls.map((url) => openServer(ports, { url, certPath })))
  return {
    name: 'mqtt',
    trouble() {
      const troubles = servers.map(({ trouble }) => trouble())
      return troubles.includes(undefined) ? undefined : troubles.join('; ')
    },
    async drain(timeoutMs: number): Promise<void> {
      await Promise.all(servers.map(({ drain }) => drain(timeoutMs)))
    },
  }
}

/**
 * The REST API, carried by an MQTT server. The caller is the cluster in the topic: the server's
 * access list vouches for it, as the handshake does elsewhere.
 */
async function openServer(ports: Ports, settings: Settings) {
  const { relay, now, log } = ports
  const { url, certPath } = settings
  const files = await readTlsFiles(certPath, now())
  const calls = new Set<Promise<void>>()
  const isDue = createSeldom(COMPLAINT_MS, now)
  const ending = new AbortController()
  const { next, onRefused } = takeTurns()
  const { hear, leaving } = createHearing({
    ...ports,
    answer: publish,
    onRefused,
    isDue,
    signal: ending.signal,
  })
  const tellings = createTellings({ relay, publish: tell, now, onTrouble: complain })
  let client = dial(files)
  let complaint = ''
  const watcher = watchTlsFiles(files, {
    directory: certPath,
    now,
    log,
    onChange(next) {
      const before = client
      client = dial(next)
      before.end()
      log.info({ url }, 'certificates changed, connected anew to the MQTT server')
    },
  })

  return {
    trouble: () =>
      client.connected ? undefined : `no connection to ${url}${complaint && `: ${complaint}`}`,
    /** Answers what is here; a server that is away is not waited for. */
    async drain(timeoutMs: number): Promise<void> {
      watcher.close()
      if (client.connected) client.unsubscribe(ALL_CALLS_TOPIC)
      await within(client.connected ? timeoutMs : 0, Promise.all([...calls, tellings.stop()]))
      ending.abort()
      // By force: it would wait for receipts that the server has dropped.
      await client.endAsync(true)
    },
  }

  function dial({ context }: TlsFiles): MqttClient {
    const { host, port } = mqttAddress(url)
    const { cert, key, ca } = context
    const address = { host, port, cert, key, ca }
    const made = new MqttClient(() => openServerStream(address, leaveOut(leaving)), options())
    made.on('connect', () => {
      complaint = ''
      log.info({ url }, 'connected to the MQTT server')
      made.subscribe(ALL_CALLS_TOPIC, { qos: 1 }, (error) => error && complain(error))
    })
    made.on('error', complain)
    made.on('message', (topic, payload, packet) => take(topic, payload, packet))
    made.handleMessage = (_packet, done) => next(done)
    return made
  }

  /** Once for each complaint: it tries every second. */
  function complain(error: Error): void {
    if (error.message === complaint) return
    complaint = error.message
    log.warn({ err: error, url }, 'no connection to the MQTT server: trying again')
  }

  function take(topic: string, payload: Buffer, packet: IPublishPacket): void {
    const call = readAddress(topic, packet)
    const answering = call && hear(call, payload)
    if (!call || !answering) return
    tellings.heard(call.id)
    calls.add(answering)
    void answering.finally(() => calls.delete(answering))
  }

  async function publish({ answersTo, correlationData }: Addressed, answer: RelayedAnswer) {
    const properties = correlationData ? { correlationData } : {}
    const message = { topic: answersTo, payload: bytesOf(answer), properties }
    await publishOnce(client, message).catch(complain)
  }

  async function tell(topic: string, answer: RelayedAnswer): Promise<void> {
    await client.publishAsync(topic, bytesOf(answer), { qos: 1, retain: true }).catch(complain)
  }
}

/** Not as text, whose length in bytes is counted several times until it has left. */
const bytesOf = (answer: RelayedAnswer) => Buffer.from(encodeAnswer(answer))

function options(): IClientOptions {
  return {
    protocolVersion: 5,
    clientId: `bourse-broker-${randomUUID()}`,
    clean: true,
    reconnectPeriod: RECONNECT_MS,
    properties: { receiveMaximum: CALLS_MAX, maximumPacketSize: PACKET_BYTES_MAX },
  }
}
