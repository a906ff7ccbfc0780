// Budget: 20 seconds. Headers, then a revocation or a denial, then the body: nothing is done.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import type { ClientHttp2Stream } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  anAdvertisement,
  eventually,
  quietPorts,
  type RawCaller,
  type RawReply,
  readReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstStatus, frameOf, openRawGrpc, type RawGrpc } from './raw-grpc.ts'

const RESERVATIONS = '/api/v1/reservations'
const WISH = '{"requestedResources":{"cpu":"1"}}'

let dir: string
let denied: string
let broker: TestBroker
let grpcUrl: string
let operator: RawCaller
const sessions: RawGrpc[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-midway-'))
  denied = join(dir, 'denied')
  writeFileSync(denied, '')
  const [port = 0] = await quietPorts(1)
  grpcUrl = `https://127.0.0.1:${port}`
  broker = await startBroker({
    flags: ['--broker-interface=http,grpc', `--grpc-port=${port}`, `--deny-clusters=@${denied}`],
  })
  operator = await broker.aRawOperator()
  const paris = await broker.aRawCaller('paris')
  await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu: '100' }))
})
afterAll(async () => {
  for (const session of sessions) session.close()
  await broker?.dispose()
  rmSync(dir, { recursive: true, force: true })
})

/** Both ways in, and a third caller that stays: it must not notice. */
async function begun(clusterId: string) {
  const [rest, grpc, honest] = await Promise.all([
    beginByRest(clusterId),
    beginByGrpc(clusterId),
    beginByRest(`honest-${clusterId}`),
  ])
  return { rest, grpc, honest }
}

describe('a caller that is shut out between its headers and its body', () => {
  it('is refused when it was denied, by REST and by gRPC', async () => {
    const { rest, grpc, honest } = await begun('mallory')

    writeFileSync(denied, 'mallory\n')
    await eventually('The list is read', () => broker.logs().includes('denied clusters changed'))
    const byRest = await finish(rest)
    const byGrpc = await finishByGrpc(grpc)
    const other = await finish(honest)

    expect(byRest).toMatchObject({ status: 403, json: { code: 'ClusterDenied' } })
    expect(byGrpc).toBe(403)
    expect(other.status).toBe(201)
    expect(await heldBy('mallory')).toEqual([])
  })

  it('is refused when its certificate was revoked, by REST and by gRPC', async () => {
    const { rest, grpc, honest } = await begun('trudy')

    await broker.certificates.revoke(['trudy'], broker.certPath)
    await eventually('The certificates are read', () => {
      const logs = broker.logs()
      return logs.includes('gRPC connections renewed') && logs.includes(', connections renewed')
    })
    const byRest = await finish(rest)
    const byGrpc = await finishByGrpc(grpc)
    const other = await finish(honest)

    expect(byRest.status).toBeOneOf([403, 503])
    expect(byGrpc).toBeOneOf([403, 503, 0])
    // Who it is has to be proved anew, under the new list; nothing was done meanwhile.
    expect(other.status).toBe(503)
    expect(other.headers['retry-after']).toBe('1')
    expect(await heldBy('trudy')).toEqual([])
    const again = await broker.aRawCaller('honest-trudy')
    expect((await again.post(RESERVATIONS, JSON.parse(WISH))).status).toBe(201)
  })
})

type Begun = Readonly<{ call: ClientRequest; answer: Promise<RawReply> }>

/** Half of it, to a broker that has said that it wants to hear the rest. */
async function beginByRest(clusterId: string): Promise<Begun> {
  const caller = await broker.aRawCaller(clusterId)
  const headers = { 'content-type': 'application/json', expect: '100-continue' }
  const call = caller.open({ method: 'POST', path: RESERVATIONS, headers })
  const answer = once(call, 'response').then(([response]) => readReply(response))
  call.flushHeaders()
  await once(call, 'continue')
  call.write(WISH.slice(0, 10))
  return { call, answer }
}

async function finish({ call, answer }: Begun): Promise<RawReply> {
  call.end(WISH.slice(10))
  return answer
}

async function beginByGrpc(clusterId: string): Promise<ClientHttp2Stream> {
  const certPath = await broker.certificates.forCluster(clusterId)
  const session = openRawGrpc({ url: grpcUrl, certPath })
  sessions.push(session)
  // What is answered shows that the connection is there.
  await session.ask('Ask', { path: '/instructions' })
  const stream = session.begin('Ask')
  stream.write(frameOf({ method: 'POST', path: '/reservations', body: WISH }).subarray(0, 8))
  await session.ask('Ask', { path: '/instructions' })
  return stream
}

async function finishByGrpc(stream: ClientHttp2Stream): Promise<number> {
  const answered = firstStatus(stream)
  if (!stream.destroyed)
    stream.end(frameOf({ method: 'POST', path: '/reservations', body: WISH }).subarray(8))
  return answered
}

async function heldBy(requesterID: string): Promise<unknown[]> {
  const { json } = await operator.get(`${RESERVATIONS}?limit=1000`)
  return json.items.filter((one: { requesterID: string }) => one.requesterID === requesterID)
}
