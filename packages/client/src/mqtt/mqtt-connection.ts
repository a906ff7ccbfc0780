import { randomUUID } from 'node:crypto'
import { answersTopic, mqttAddress, TOLD, toldTopic } from '@bourse/contract/mqtt'
import { connect, type MqttClient } from 'mqtt'
import { ClientClosed } from '../errors.ts'
import type { CertificateFiles, Certificates } from '../http/certificate-files.ts'

export type Message = Readonly<{ topic: string; payload: Buffer; correlation: string }>

/** One connection to the MQTT server, ready to be used. */
export type MqttSession = Readonly<{ client: MqttClient; answersTo: string }>

type Ports = Readonly<{
  url: string
  clusterId: string
  files: CertificateFiles
  timeoutMs: number
  heard(message: Message): void
  /** It was cut: what was told meanwhile is lost. */
  cut(): void
}>

const RECONNECT_MS = 1_000

/** Connects when asked, again by itself when cut, and anew when the certificate files change. */
export function createMqttConnection(ports: Ports) {
  const { url, clusterId, files, timeoutMs } = ports
  let using: Readonly<{ certificates: Certificates; session: Promise<MqttSession> }> | undefined
  let isClosed = false
  const open = new Set<MqttClient>()

  return { session, close }

  async function session(): Promise<MqttSession> {
    const certificates = await files.current()
    if (isClosed) throw new ClientClosed('This client has been closed.')
    if (using?.certificates !== certificates) {
      using?.session.then(
        ({ client }) => client.end(),
        () => undefined,
      )
      using = { certificates, session: dial(certificates) }
    }
    const current = using
    return current.session.then(undefined, (thrown) => {
      if (using === current) using = undefined
      throw thrown
    })
  }

  async function dial(certificates: Certificates): Promise<MqttSession> {
    const clientId = `${clusterId}-${randomUUID()}`
    const answersTo = answersTopic(clusterId, clientId)
    const client = connect({
      ...mqttAddress(url),
      ...certificates,
      protocolVersion: 5,
      clientId,
      clean: true,
      connectTimeout: timeoutMs,
      reconnectPeriod: RECONNECT_MS,
    })
    open.add(client)
    client.on('message', (topic, payload, { properties, retain }) => {
      // What the server kept may be older than what was asked and answered meanwhile.
      if (retain) return
      const correlation = properties?.correlationData?.toString('utf8') ?? ''
      ports.heard({ topic, payload, correlation })
    })
    await connected(client).then(undefined, (thrown) => {
      open.delete(client)
      client.end(true)
      throw thrown
    })
    client.on('close', ports.cut)
    const told = TOLD.map((one) => toldTopic(clusterId, one))
    await client.subscribeAsync([answersTo, ...told], { qos: 1 })
    return { client, answersTo }
  }

  async function close(): Promise<void> {
    isClosed = true
    await Promise.all([...open].map((client) => client.endAsync(true)))
  }
}

/** The first connection, or why there is none; later ones are the library's business. */
function connected(client: MqttClient): Promise<void> {
  const made = Promise.withResolvers<void>()
  client.once('connect', () => made.resolve())
  client.once('error', made.reject)
  client.once('close', () => made.reject(new Error('the MQTT server closed the connection')))
  // Without a listener an error ends the process; each of them also shows as a cut.
  client.on('error', () => undefined)
  return made.promise
}
