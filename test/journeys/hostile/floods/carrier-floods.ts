import { connect as connectTls } from 'node:tls'
import { identityIn } from '@bourse/testkit/identity'
import { connectAsync, type MqttClient } from 'mqtt'
import { openRawGrpc, type RawAnswer, type RawGrpc, wholeAnswer } from '../raw-grpc.ts'
import { resetStreams } from './raw-resets.ts'

export type CarrierOrder = Readonly<{
  name: string
  attacker: string
  certPath: string
  grpcUrl: string
  mqttUrl: string
}>
type Counts = {
  /** Handshakes are behind it, and the first of what it sends. */
  isUnderWay: boolean
  answers: number
  refused: number
  toldWhen: number
  /** Connections that the other side ended. */
  cut: number
}
export type CarrierReport = Readonly<Counts>
type Flood = Readonly<{
  name: string
  by: 'grpc' | 'mqtt'
  /** How the broker meets it: in words, or by cutting it off, or by taking it on its account. */
  ends: 'refused' | 'cut' | 'charged'
  begin(order: CarrierOrder, counts: Counts): void
}>

const SESSIONS = 4
const AT_ONCE = 100
const HALVES = 256

export const carrierFloods: readonly Flood[] = [
  {
    name: 'calls that are not carried',
    by: 'grpc',
    ends: 'refused',
    begin: (order, counts) => keepAsking(order, counts, '/events'),
  },
  {
    name: 'calls that are carried',
    by: 'grpc',
    ends: 'refused',
    begin: (order, counts) => keepAsking(order, counts, '/instructions'),
  },
  {
    name: 'streams that are reset',
    by: 'grpc',
    ends: 'cut',
    begin: keepResetting,
  },
  { name: 'connections that ask nothing', by: 'grpc', ends: 'charged', begin: keepConnecting },
  {
    name: 'messages that are never whole',
    by: 'grpc',
    ends: 'refused',
    begin: (order, counts) => keepSessions(order, counts, sendHalves),
  },
  {
    name: 'calls without end',
    by: 'mqtt',
    ends: 'refused',
    begin: (order, counts) => keepPublishing(order, counts, '{"method":"GET","path":"/events"}'),
  },
  {
    name: 'long calls',
    by: 'mqtt',
    ends: 'refused',
    begin: (order, counts) => keepPublishing(order, counts, longCall(1_000_000)),
  },
  {
    name: 'calls for long answers',
    by: 'mqtt',
    ends: 'refused',
    begin: (order, counts) =>
      keepPublishing(order, counts, '{"method":"GET","path":"/openapi.json"}'),
  },
]

const longCall = (length: number) =>
  `{"method":"POST","path":"/advertisements","body":{"clusterID":"${'x'.repeat(length)}"}}`

type Begin = (session: RawGrpc, counts: Counts) => void

function keepSessions(order: CarrierOrder, counts: Counts, begin: Begin): void {
  for (let opened = 0; opened < SESSIONS; opened += 1) keepSession(order, counts, begin)
}

function keepSession(order: CarrierOrder, counts: Counts, begin: Begin): void {
  const session = openRawGrpc({ url: order.grpcUrl, certPath: order.certPath })
  session.whenOver(() => {
    counts.cut += 1
    setTimeout(() => keepSession(order, counts, begin), 5)
  })
  session.whenReady(() => begin(session, counts))
}

function keepAsking(order: CarrierOrder, counts: Counts, path: string): void {
  keepSessions(order, counts, (session) => {
    for (let asked = 0; asked < AT_ONCE; asked += 1) void again()

    async function again(): Promise<void> {
      while (!session.isOver()) count(counts, await wholeAnswer(session.open('Ask', { path })))
    }
  })
}

function count(counts: Counts, { status, isToldWhen }: RawAnswer): void {
  counts.isUnderWay = true
  if (status > 0) counts.answers += 1
  if (status === 429) counts.refused += 1
  if (status === 429 && isToldWhen) counts.toldWhen += 1
}

function keepResetting({ certPath, grpcUrl }: CarrierOrder, counts: Counts): void {
  const target = { port: Number(new URL(grpcUrl).port), identity: identityIn(certPath) }
  for (let opened = 0; opened < SESSIONS; opened += 1) again()

  function again(): void {
    resetStreams({ ...target, onOpen, onCut })
  }

  function onOpen(): void {
    counts.isUnderWay = true
  }

  function onCut(): void {
    counts.cut += 1
    setTimeout(again, 5)
  }
}

function sendHalves(session: RawGrpc, counts: Counts): void {
  for (let sent = 0; sent < HALVES / SESSIONS; sent += 1) void again()

  async function again(): Promise<void> {
    while (!session.isOver()) count(counts, await wholeAnswer(session.half()))
  }
}

function keepConnecting({ certPath, grpcUrl }: CarrierOrder, counts: Counts): void {
  const identity = identityIn(certPath)
  const { port } = new URL(grpcUrl)
  for (let opened = 0; opened < 8 * SESSIONS; opened += 1) again()

  function again(): void {
    const socket = connectTls({ port: Number(port), ...identity, ALPNProtocols: ['h2'] })
    socket.on('error', () => {
      counts.cut += 1
    })
    socket.once('secureConnect', () => {
      counts.isUnderWay = true
      socket.destroy()
    })
    socket.once('close', () => setTimeout(again, 2))
  }
}

/** QoS 0, as fast as the MQTT server takes them. */
async function keepPublishing(order: CarrierOrder, counts: Counts, call: string): Promise<void> {
  const { mqttUrl, certPath, attacker } = order
  const client = await connectAsync(mqttUrl, { ...identityIn(certPath), protocolVersion: 5 })
  const answersTo = `bourse/v1/${attacker}/answers/flood`
  await client.subscribeAsync(answersTo)
  client.on('message', (_topic, payload) => {
    const { status, headers } = JSON.parse(payload.toString('utf8'))
    count(counts, { status, isToldWhen: headers['retry-after'] !== undefined })
  })
  for (;;) await publishSome(client, { topic: `bourse/v1/${attacker}/calls`, answersTo, call })
}

type Publishing = Readonly<{ topic: string; answersTo: string; call: string }>

async function publishSome(client: MqttClient, { topic, answersTo, call }: Publishing) {
  const properties = { responseTopic: answersTo }
  const sent = Array.from({ length: AT_ONCE }, () =>
    client.publishAsync(topic, call, { qos: 0, properties }),
  )
  await Promise.all(sent)
  await new Promise((resolve) => setImmediate(resolve))
}
