import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { createRawCaller, eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { advertisement, apiPorts, LEDGER_ID, settings } from '../../../fixtures/http/server/api.ts'
import { createHttpServer } from './create-http-server.ts'

const federation = useCertificates()
const strangers = useCertificates()
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A broker over real TLS, on a certificate directory of its own. */
async function aBroker(now: () => number = Date.now) {
  const certPath = mkdtempSync(join(tmpdir(), 'bourse-tls-'))
  install(await federation().forServer())
  // Certificates are judged by the real time, which the kit makes them for.
  const parts = await apiPorts({ now })
  const server = await createHttpServer(parts.ports, {
    ...settings,
    certPath,
    port: 0,
    host: '127.0.0.1',
    maxConnections: 100,
    certPollMs: 50,
  })
  const { port } = await server.listen()
  const url = `https://127.0.0.1:${port}`
  closing.push(
    () => rmSync(certPath, { recursive: true }),
    () => server.drain(1_000),
  )

  function install(directory: string): void {
    for (const name of ['ca.crt', 'tls.key', 'tls.crt'])
      copyFileSync(join(directory, name), join(certPath, name))
  }
  function as(certificates: string, presents = true) {
    const authorityPath = certPath
    const caller = createRawCaller({
      url,
      certPath: certificates,
      authorityPath,
      presents,
      connectionsMax: 1,
    })
    closing.push(caller.close)
    return caller
  }
  const logged = (message: string) =>
    eventually(
      `the log says ${message}`,
      async () => parts.lines.some((line) => line.includes(message)) || undefined,
    )
  return { ...parts, server, port, certPath, install, as, logged }
}

const instructions = '/api/v1/instructions'
/** As pino numbers its levels. */
const INFO = 30

describe('who gets in', () => {
  it('a cluster with a certificate of the federation, and it is who the certificate says', async () => {
    const { as } = await aBroker()
    const paris = as(await federation().forCluster('paris'))

    const own = await paris.post('/api/v1/advertisements', advertisement('paris'))
    const others = await paris.post('/api/v1/advertisements', advertisement('rome'))

    expect([own.status, others.status]).toEqual([200, 403])
    expect(own.headers).toMatchObject({ 'bourse-ledger': LEDGER_ID, 'bourse-index': '1' })
  })

  it('an operator, who sees all', async () => {
    const { as } = await aBroker()

    const { status } = await as(await federation().forOperator()).get('/api/v1/advertisements')

    expect(status).toBe(200)
  })

  it('no caller without a certificate, or with a foreign, expired or server’s one', async () => {
    const { as, lines } = await aBroker()
    const paris = await federation().forCluster('paris')
    const expired = await federation().forLeaf('old', { commonName: 'old', usages: ['client'] }, -2)
    const foreign = await strangers().forCluster('paris')
    const server = await federation().forLeaf('web', { commonName: 'web', usages: ['server'] })

    const attempts = await Promise.allSettled([
      as(paris, false).get(instructions),
      as(foreign).get(instructions),
      as(expired).get(instructions),
      as(server).get(instructions),
    ])
    const refusals = await eventually('a line in the log for each', () => {
      const told = lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason)
      return told.length >= attempts.length ? told : undefined
    })

    expect(attempts.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(refusals.map(({ from, reason }) => `${from} ${reason}`).sort()).toEqual([
      '127.0.0.1 CERT_HAS_EXPIRED',
      '127.0.0.1 ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE',
      '127.0.0.1 INVALID_PURPOSE',
      '127.0.0.1 UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ])
  })

  it('no caller whose name is not a cluster id, and the answer names it', async () => {
    const { as } = await aBroker()
    const odd = await federation().forLeaf('odd', { commonName: 'a/b', usages: ['client'] })

    const { status, json } = await as(odd).get(instructions)

    expect(status).toBe(403)
    expect(json).toMatchObject({ code: 'InvalidIdentity', error: expect.stringContaining('"a/b"') })
  })

  it('no caller whose certificate has expired since it connected', async () => {
    const { as } = await aBroker(() => Date.now() + 60 * 86_400_000)
    const paris = as(await federation().forCluster('paris'))

    const { status, json } = await paris.get(instructions)

    expect(status).toBe(403)
    expect(json.code).toBe('CertificateExpired')
  })

  it('and its open event stream ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let lateMs = 0
    const { as } = await aBroker(() => Date.now() + lateMs)
    const asked = as(await federation().forCluster('paris')).open({ path: '/api/v1/events' })
    asked.end()
    const [response] = await once(asked, 'response')

    vi.advanceTimersByTime(15_000)
    lateMs = 60 * 86_400_000
    vi.advanceTimersByTime(15_000)

    // The greeting and one heartbeat; then it ends by itself.
    expect(await text(response)).toBe(':\n\n:\n\n')
  })
})

describe('certificates that change while the broker runs', () => {
  it('lets in the new federation, and no caller of the old one', async () => {
    const { as, install, logged, server } = await aBroker()
    const old = as(await federation().forCluster('paris'))
    const poll = old.get(`${instructions}?wait=60s`)
    await eventually('the poll is open', () => server.waiting() === 1 || undefined)
    const idle = as(await federation().forCluster('rome'))
    await idle.get(instructions)

    install(await strangers().forServer())
    await logged('certificates changed')
    const polled = await poll
    const fresh = await as(await strangers().forCluster('paris')).get(instructions)

    // What it waited for is for those who can still connect.
    expect(polled).toMatchObject({ status: 503, json: { code: 'Unavailable' } })
    expect(polled.headers.connection).toBe('close')
    expect(fresh.status).toBe(200)
    await expect(idle.get(instructions)).rejects.toThrow()
    await expect(old.get(instructions)).rejects.toThrow()
  })

  it('keeps the old ones while the new ones are half written, and says so', async () => {
    const { as, certPath, logged } = await aBroker()
    const paris = as(await federation().forCluster('paris'))

    writeFileSync(join(certPath, 'tls.crt'), '-----BEGIN CERTIFICATE-----\nMIIB')
    await logged('the old ones stay')

    expect((await paris.get(instructions)).status).toBe(200)
  })

  it('refuses a key that belongs to another certificate', async () => {
    const { certPath, logged } = await aBroker()

    copyFileSync(join(await strangers().forServer(), 'tls.key'), join(certPath, 'tls.key'))

    await logged('tls.key does not belong to the certificate in tls.crt')
  })

  it('ends the connections of a revoked caller only, and lets it in no more', async () => {
    const { as, certPath, logged, server } = await aBroker()
    const romeFiles = await federation().forCluster('rome')
    const rome = as(romeFiles)
    const paris = as(await federation().forCluster('paris'))
    await rome.get(instructions)
    const poll = as(romeFiles).get(`${instructions}?wait=60s`)
    await eventually('the poll is open', () => server.waiting() === 1 || undefined)

    await federation().revoke(['rome'], certPath)
    await logged('certificates changed')

    expect((await poll).status).toBe(503)
    await expect(rome.get(instructions)).rejects.toThrow()
    await expect(as(romeFiles).get(instructions)).rejects.toThrow()
    expect((await paris.get(instructions)).status).toBe(200)
  })

  it('counts the polls that a change ends in one line, without a complaint about each', async () => {
    const { as, install, lines, logged, server } = await aBroker()
    const paris = await federation().forCluster('paris')
    const polls = [1, 2].map(() => as(paris).get(`${instructions}?wait=60s`))
    await eventually('the polls are open', () => server.waiting() === 2 || undefined)

    install(await federation().forServer())
    await logged('certificates changed')
    const statuses = (await Promise.all(polls)).map(({ status }) => status)

    const told = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= INFO)
    expect(statuses).toEqual([503, 503])
    expect(told).toContainEqual(expect.objectContaining({ level: INFO, waits: 2 }))
    expect(told.filter(({ status }) => status === 503)).toEqual([])
  })

  it('does not believe a revocation list that its authority has not signed', async () => {
    const { as, certPath, logged } = await aBroker()
    const rome = await federation().forCluster('rome')
    await strangers().forCluster('rome')

    await strangers().revoke(['rome'], certPath)
    await logged('the old ones stay')

    expect((await as(rome).get(instructions)).status).toBe(200)
  })
})

describe('a connection from before a change', () => {
  it('is told to connect again with its first request', async () => {
    const { install, logged, port } = await aBroker()
    const paris = await federation().forCluster('paris')
    const [ca, cert, key] = ['ca.crt', 'tls.crt', 'tls.key'].map((name) =>
      readFileSync(join(paris, name)),
    )
    const socket = connect({ port, host: '127.0.0.1', ca, cert, key })
    closing.push(() => socket.destroy())
    await once(socket, 'secureConnect')
    install(await federation().forServer())
    await logged('certificates changed')

    socket.write(`GET ${instructions} HTTP/1.1\r\nhost: broker\r\n\r\n`)
    const [answer] = await once(socket, 'data')

    expect(String(answer)).toMatch(/^HTTP\/1.1 503 .*connection: close.*connect again/is)
  })
})

describe('what never becomes a request', () => {
  it('too large a header is a 431 with the headers of every answer', async () => {
    const { as } = await aBroker()
    const paris = as(await federation().forCluster('paris'))

    const { status, json, headers } = await paris.send({
      path: instructions,
      headers: { 'x-long': 'x'.repeat(20_000) },
    })

    expect(status).toBe(431)
    expect(json.code).toBe('HeadersTooLarge')
    expect(headers).toMatchObject({
      'bourse-ledger': LEDGER_ID,
      'bourse-index': '0',
      'bourse-term': 'term-1',
    })
  })
})

describe('a caller that vanishes', () => {
  it('in the middle of its request leaves a line in the log and changes nothing', async () => {
    const { as, logged, writer } = await aBroker()
    const paris = as(await federation().forCluster('paris'))

    const call = paris.open({
      method: 'POST',
      path: '/api/v1/reservations',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
    })
    call.once('error', () => undefined)
    call.write('{"requestedResources":', () => call.destroy())

    await logged('The caller disconnected before its request was received.')
    expect(writer.index()).toBe(0)
  })

  it('in the middle of a long poll leaves nothing behind', async () => {
    const { as, server } = await aBroker()
    const paris = as(await federation().forCluster('paris'))
    const poll = paris.open({ path: `${instructions}?wait=60s` })
    poll.once('error', () => undefined)
    poll.end()
    await eventually('the poll is open', () => server.waiting() === 1 || undefined)

    poll.destroy()

    await eventually('the poll is gone', () => server.waiting() === 0 || undefined)
  })
})

describe('drain', () => {
  it('answers polls, ends connections and takes nothing new', async () => {
    const { as, server } = await aBroker()
    const paris = as(await federation().forCluster('paris'))
    await paris.get(instructions)
    const poll = paris.get(`${instructions}?wait=60s`)
    await eventually('the poll is open', () => server.waiting() === 1 || undefined)

    const drained = server.drain(5_000)
    const { status, headers } = await poll
    await drained

    expect(status).toBe(200)
    expect(headers.connection).toBe('close')
    await expect(paris.get(instructions)).rejects.toThrow()
  })
})
