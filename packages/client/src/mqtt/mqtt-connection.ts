import { randomUUID } from 'node:crypto'
import { answersTopic, mqttAddress, TOLD, toldTopic } from '@bourse/contract/mqtt'
import { connect, type MqttClient } from 'mqtt'
import { ClientClosed } from '../communicator/errors.ts'
import type { CertificateFiles, Certificates } from '../http/certificate-files.ts'

export type Message = Readonly<{ topic: string; payload: Buffer; correlation: string }>

/** One connection to the MQTT server, ready to be used. */
export type MqttSession = Readonly<{
  client: MqttClient
  answersTo: string
  /** Whether the receipt for this message said that it has no subscriber. Can be asked once. */
  wasUnheard(messageId: number | undefined): boolean
}>

type Ports = Readonly<{
  clusterId: string
  files: CertificateFiles
  timeoutMs: number
  heard(message: Message): void
  /** The connection is gone; messages may have been lost. */
  cut(): void
}>

/** MQTT 5: the server accepted the message, but it has no subscriber. */
const NO_SUBSCRIBERS = 16

type Using = Readonly<{
  turn: symbol
  origin: string
  certificates: Certificates
  session: Promise<MqttSession>
}>

/** One connection at a time, opened on demand; reopened when it breaks or the files change. */
export function createMqttConnection(ports: Ports) {
  const { clusterId, files, timeoutMs } = ports
  let using: Using | undefined
  let isClosed = false
  const open = new Set<MqttClient>()

  return { session, close }

  async function session(origin: string): Promise<MqttSession> {
    const certificates = await files.current()
    if (isClosed) throw new ClientClosed()
    if (using?.origin !== origin || using.certificates !== certificates) {
      leave(using)
      const turn = Symbol(origin)
      using = { turn, origin, certificates, session: dial(turn, origin, certificates) }
    }
    const current = using
    return current.session.catch((thrown) => {
      if (using === current) using = undefined
      throw thrown
    })
  }

  /** Calls that wait on this connection fail. */
  function leave(left: Using | undefined): void {
    if (!left) return
    using = undefined
    ports.cut()
    left.session.then(hangUp, () => undefined)
  }

  function hangUp({ client }: Pick<MqttSession, 'client'>): void {
    open.delete(client)
    client.end(true)
  }

  async function dial(turn: symbol, origin: string, certificates: Certificates) {
    const clientId = `${clusterId}-${randomUUID()}`
    const answersTo = answersTopic(clusterId, clientId)
    const client = connect({
      ...mqttAddress(origin),
      ...certificates,
      protocolVersion: 5,
      clientId,
      clean: true,
      connectTimeout: timeoutMs,
      // The next call connects again, maybe to another server.
      reconnectPeriod: 0,
    })
    open.add(client)
    client.on('message', (topic, payload, { properties, retain }) => {
      // A retained message may be older than the answers received since.
      if (retain) return
      const correlation = properties?.correlationData?.toString('utf8') ?? ''
      ports.heard({ topic, payload, correlation })
    })
    await connected(client).catch((thrown) => {
      hangUp({ client })
      throw thrown
    })
    client.on('close', () => {
      hangUp({ client })
      // A connection that was left before is already reported.
      if (using?.turn !== turn) return
      using = undefined
      ports.cut()
    })
    const wasUnheard = readReceipts(client)
    const told = TOLD.map((one) => toldTopic(clusterId, one))
    await client.subscribeAsync([answersTo, ...told], { qos: 1 })
    return { client, answersTo, wasUnheard }
  }

  async function close(): Promise<void> {
    isClosed = true
    await Promise.all([...open].map((client) => client.endAsync(true)))
  }
}

/** The library hides the reason codes of receipts, so they are read from the packets. */
function readReceipts(client: MqttClient): MqttSession['wasUnheard'] {
  const unheard = new Set<number | undefined>()
  client.on('packetreceive', (packet) => {
    if (packet.cmd === 'puback' && packet.reasonCode === NO_SUBSCRIBERS)
      unheard.add(packet.messageId)
  })
  return (messageId) => unheard.delete(messageId)
}

function connected(client: MqttClient): Promise<void> {
  const made = Promise.withResolvers<void>()
  client.once('connect', () => made.resolve())
  client.once('error', made.reject)
  client.once('close', () => made.reject(new Error('the MQTT server closed the connection')))
  // An error without a listener would crash the process; each also closes the connection.
  client.on('error', () => undefined)
  return made.promise
}
