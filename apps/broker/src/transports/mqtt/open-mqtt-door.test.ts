import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { answersTopic, callsTopic } from '@bourse/contract/mqtt'
import { makeTestCertificates } from '@bourse/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { apiPorts, settings } from '../../../fixtures/http/server/api.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { createRelay } from '../relay/create-relay.ts'
import { openMqttDoor } from './open-mqtt-door.ts'

/** The first byte of a packet, without its flags. */
const CONNECT = 0x10
const PUBLISH = 0x30
const SUBSCRIBE = 0x80
const CONNACK = Buffer.of(0x20, 3, 0, 0, 0)

/** A server that passes on one call, and never says that it has the answer. */
async function aDeafServer() {
  const certificates = await makeTestCertificates()
  const files = await certificates.forServer()
  const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
    readFileSync(join(files, name)),
  )
  const answers: Buffer[] = []
  const server = createServer({ ca, cert, key }, (socket) => {
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
  return { url: `mqtts://127.0.0.1:${port}`, certPath, answers }

  function hear(socket: TLSSocket, packet: Buffer): void {
    const kind = (packet[0] ?? 0) & 0xf0
    if (kind === CONNECT) socket.write(CONNACK)
    if (kind === SUBSCRIBE) socket.write(Buffer.concat([subackOf(packet), aCall()]))
    if (kind === PUBLISH) answers.push(packet)
  }
}

const subackOf = (subscribe: Buffer) =>
  Buffer.concat([Buffer.of(0x90, 4), subscribe.subarray(2, 4), Buffer.of(0, 1)])

function aCall(): Buffer {
  const answersTo = Buffer.concat([Buffer.of(8), text(answersTopic('paris', 'agent'))])
  const call = Buffer.from('{"method":"GET","path":"/events"}')
  const rest = [text(callsTopic('paris')), Buffer.of(answersTo.length), answersTo, call]
  const packet = Buffer.concat(rest)
  return Buffer.concat([Buffer.of(PUBLISH, packet.length), packet])
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0, value.length), Buffer.from(value)])
}

it('ends in time, although the server never acknowledges an answer', async () => {
  const { url, certPath, answers } = await aDeafServer()
  const { ports } = await apiPorts({ now: Date.now })
  const relay = await createRelay(ports, settings)
  const limits = createCarrierLimits()
  const door = await openMqttDoor({ ...ports, relay, limits }, { urls: [url], certPath })
  await expect.poll(() => answers.length).toBeGreaterThan(0)
  relay.endWatches()

  await door.drain(10)

  expect(door.trouble()).toBeDefined()
  await relay.close()
})
