// Budget: 30 seconds, and 20 more when the Go agent is built for the first time.
import { connect } from 'node:tls'
import { startBroker, type TestBroker } from '@bourse/testkit'
import { identityIn } from '@bourse/testkit/identity'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildGoAgent, type Line, runGoAgent } from './go-agent/go-agent.ts'

const BUILD_MS = 120_000

describe('an agent of the Go original at our broker', () => {
  let binary: string
  let broker: TestBroker

  beforeAll(async () => {
    binary = await buildGoAgent()
  }, BUILD_MS)
  beforeEach(async () => {
    broker = await startBroker()
  })
  afterEach(() => broker?.dispose())

  it('publishes with 200 and reads its own advertisement back', async () => {
    const [ping, unknown, published, known] = await go('paris', ['ping', 'publish', 'publish'])

    expect([ping?.status, unknown?.status, published?.status, known?.status]).toEqual([
      200, 404, 200, 200,
    ])
    expect(published?.read.advertisement).toMatchObject({
      clusterID: 'paris',
      clusterName: 'paris',
    })
    expect(known?.read.resources.reserved).toEqual({ cpu: '0', memory: '0' })
    expect(known?.read.resources.available).toEqual({ cpu: '8', memory: '32Gi' })
  })

  it('reserves with 201 without any request id, and each time anew', async () => {
    await go('paris', ['publish'])

    const [first, second] = await go('rome', ['reserve', 'reserve'], ['-cpu=2', '-duration=1h'])

    expect([first?.status, second?.status]).toEqual([201, 201])
    expect(first?.read.id).not.toBe(second?.read.id)
    expect(first?.read).toMatchObject({
      requesterID: 'rome',
      targetClusterID: 'paris',
      requestedResources: { cpu: '2', memory: '1Gi' },
      status: { phase: 'Reserved' },
    })
    const { reservedAt, expiresAt } = first?.read.status ?? {}
    expect(Date.parse(expiresAt) - Date.parse(reservedAt)).toBe(3_600_000)
  })

  it('polls [] while nothing is held, and then what is', async () => {
    const [, , empty] = await go('paris', ['publish', 'poll'])
    const [granted] = await go('rome', ['reserve'], ['-cpu=2'])
    const [held] = await go('paris', ['poll'])

    expect(empty).toMatchObject({ status: 200, raw: '[]', read: [] })
    expect(held?.read).toMatchObject([
      {
        id: granted?.read.id,
        requesterID: 'rome',
        requestedResources: { cpu: '2', memory: '1Gi' },
      },
    ])
  })

  it('sees a reservation at one of its next polls, each five seconds on', async () => {
    await go('paris', ['publish'])

    const polling = go('paris', ['poll'], ['-polls=24'])
    const [granted] = await go('rome', ['reserve'], ['-cpu=2'])
    const lines = await polling

    expect(lines.at(-1)?.read).toMatchObject([{ id: granted?.read.id }])
  })

  it('sends back what it read as reserved, which changes nothing', async () => {
    await go('paris', ['publish'])
    await go('rome', ['reserve'], ['-cpu=3'])

    const [known, published] = await go('paris', ['publish'])

    expect(known?.read.resources.reserved.cpu).toBe('3')
    expect(published?.read.advertisement.resources).toMatchObject({
      reserved: { cpu: '3' },
      available: { cpu: '5' },
    })
    expect(published?.read.providerInstructions).toHaveLength(1)
  })

  it('finds the reason of a refusal under the key it knows', async () => {
    await go('paris', ['publish'])

    const [refused] = await go('rome', ['reserve'], ['-cpu=80'])

    expect(refused?.status).toBe(409)
    const { error, detail } = JSON.parse(refused?.raw ?? '{}')
    expect(error).toContain('80')
    expect(error).toBe(detail)
  })

  it('evaluates without reserving', async () => {
    await go('paris', ['publish'])

    const [evaluated] = await go('rome', ['evaluate'], ['-cpu=2'])
    const [held] = await go('paris', ['poll'])

    expect(evaluated).toMatchObject({ status: 200, read: { targetClusterID: 'paris' } })
    expect(held?.raw).toBe('[]')
  })

  it('is understood byte for byte', async () => {
    // As captured from Go's net/http; the numbers are the length of the body and the port.
    const body =
      '{"clusterID":"paris","clusterName":"paris","resources":{"capacity":{"cpu":"8","memory":' +
      '"32Gi","gpu":"2"},"allocatable":{"cpu":"7800m","memory":"32Gi","gpu":"2"},"allocated":' +
      '{"cpu":"250m","memory":"140Mi"},"available":{"cpu":"7550m","memory":"32628Mi","gpu":"2"}},' +
      '"timestamp":"2025-11-15T21:04:05.123456789+01:00"}'
    const { host } = new URL(broker.url)
    const head =
      `POST /api/v1/advertisements HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Go-http-client/1.1\r\n` +
      `Content-Length: ${body.length}\r\nContent-Type: application/json\r\n` +
      'Accept-Encoding: gzip\r\n\r\n'

    const answer = await exchange('paris', head + body)

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/\r\ncontent-type: application\/json/i)
    expect(answer).toContain('"available":{"cpu":"7550m","memory":"32628Mi","gpu":"2"}')
  })

  async function go(
    clusterId: string,
    steps: readonly string[],
    flags: readonly string[] = [],
  ): Promise<Line[]> {
    const certPath = await broker.certificates.forCluster(clusterId)
    const who = [`-broker-url=${broker.url}`, `-broker-cert-path=${certPath}`]
    return runGoAgent([binary, ...who, `-cluster-id=${clusterId}`, ...flags, ...steps])
  }

  async function exchange(clusterId: string, bytes: string): Promise<string> {
    const certPath = await broker.certificates.forCluster(clusterId)
    const { hostname, port } = new URL(broker.url)
    const socket = connect({ host: hostname, port: Number(port), ...identityIn(certPath) })
    socket.setEncoding('utf8').write(bytes)
    let answer = ''
    for await (const part of socket) {
      answer += part
      if (answer.endsWith('}')) break
    }
    return answer
  }
})
