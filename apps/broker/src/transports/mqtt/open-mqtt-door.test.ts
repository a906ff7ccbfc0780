import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { answersTopic, callsTopic } from '@bourse/contract/mqtt'
import { makeTestCertificates } from '@bourse/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { apiPorts, settings } from '../../../fixtures/http/server/api.ts'
import { createRateLimit, type RateLimit } from '../../fair-share/index.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { createRelay } from '../relay/create-relay.ts'
import { openMqttDoor } from './open-mqtt-door.ts'

/** The first byte of a packet, without its flags. */
const CONNECT = 0x10
const PUBLISH = 0x30
const SUBSCRIBE = 0x80
const CONNACK = Buffer.of(0x20, 3, 0, 0, 0)

/** A server that passes on some calls, and never says that it has an answer. */
async function aDeafServer(calls: Buffer) {
  const certificates = await makeTestCertificates()
  const files = await certificates.forServer()
  const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
    readFileSync(join(files, name)),
  )
  const answers: Buffer[] = []
  const namesAsked: unknown[] = []
  const server = createServer({ ca, cert, key }, (socket) => {
    namesAsked.push(socket.servername)
    socket.on('error', () => undefined)
    socket.on('data', (packet) => hear(socket, packet))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    certificates.dispose()
  })
  const { port } = server.address() as AddressInfo
  const certPath = await certificates.forCluster('broker')
  return { url: `mqtts://127.0.0.1:${port}`, certPath, answers, namesAsked }

  function hear(socket: TLSSocket, packet: Buffer): void {
    const kind = (packet[0] ?? 0) & 0xf0
    if (kind === CONNECT) socket.write(CONNACK)
    if (kind === SUBSCRIBE) socket.write(Buffer.concat([subackOf(packet), calls]))
    if (kind === PUBLISH) answers.push(packet)
  }
}

const subackOf = (subscribe: Buffer) =>
  Buffer.concat([Buffer.of(0x90, 4), subscribe.subarray(2, 4), Buffer.of(0, 1)])

function aCall({ bytes = 0 } = {}): Buffer {
  const answersTo = Buffer.concat([Buffer.of(8), text(answersTopic('paris', 'agent'))])
  const call = Buffer.from(`{"method":"GET","path":"/events"}${' '.repeat(bytes)}`)
  const rest = [text(callsTopic('paris')), Buffer.of(answersTo.length), answersTo, call]
  const packet = Buffer.concat(rest)
  // The length, with seven bits in each byte.
  const low = [0, 7].map((shift) => ((packet.length >> shift) & 0x7f) | 0x80)
  return Buffer.concat([Buffer.of(PUBLISH, ...low, packet.length >> 14), packet])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0, value.length), Buffer.from(value)])
}

it('ends in time, although the server never acknowledges an answer', async () => {
  const { url, certPath, answers } = await aDeafServer(aCall())
  const { door, relay } = await aDoor({ url, certPath })
  await expect.poll(() => answers.length).toBeGreaterThan(0)
  relay.endWatches()

  await door.drain(10)

  expect(door.trouble()).toBeDefined()
  await relay.close()
})

it('refuses long calls that their caller cannot pay for, and hears those that follow', async () => {
  const long = aCall({ bytes: 1_000_000 })
  const { url, certPath, answers } = await aDeafServer(Buffer.concat([long, long, long, aCall()]))
  const rate = createRateLimit({ perSecond: 1e-9, burst: 100 }, Date.now)
  const { door, relay } = await aDoor({ url, certPath, rate })

  await expect.poll(() => statusesIn(answers)).toEqual([429, 429, 429, 404])

  expect(door.trouble()).toBeUndefined()
  relay.endWatches()
  await door.drain(10)
  await relay.close()
})

it('tells the server the name it asks for, as proxies that share an address need it', async () => {
  const { url, certPath, namesAsked } = await aDeafServer(Buffer.alloc(0))
  const named = url.replace('127.0.0.1', 'localhost')

  const { door, relay } = await aDoor({ url: named, certPath })
  await expect.poll(() => namesAsked).toEqual(['localhost'])

  await door.drain(10)
  await relay.close()
})

type Reached = Readonly<{ url: string; certPath: string; rate?: RateLimit }>

async function aDoor({ url, certPath, rate }: Reached) {
  const { ports } = await apiPorts({ now: Date.now })
  const relay = await createRelay(ports, settings)
  const limits = createCarrierLimits()
  const share = rate ? { ...ports.share, rate } : ports.share
  const door = await openMqttDoor({ ...ports, share, relay, limits }, { urls: [url], certPath })
  return { door, relay }
}

function statusesIn(answers: readonly Buffer[]): number[] {
  const texts = answers.map((answer) => answer.toString('latin1'))
  return texts
    .filter((text) => text.includes(answersTopic('paris', 'agent')))
    .map((text) => Number(/"status":(\d+)/.exec(text)?.[1]))
}
