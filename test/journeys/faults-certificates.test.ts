// Budget: 20 seconds. Certificates and admission change while the broker runs.
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { eventually, type RawCaller, startBroker, type TestBroker } from '@bourse/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'

const INSTRUCTIONS = '/api/v1/instructions'

describe('certificates that change while the broker runs', () => {
  it('shows a renewed certificate without a restart', async () => {
    const broker = await aBroker()
    const rome = await broker.aRawCaller('rome')
    const before = await shownSerial(broker)
    const { pid } = broker

    await broker.certificates.forServer()
    const after = await eventually('The new certificate is shown', async () => {
      const serial = await shownSerial(broker)
      return serial === before ? undefined : serial
    })

    expect(after).toBe(
      new X509Certificate(readFileSync(join(broker.certPath, 'tls.crt'))).serialNumber,
    )
    expect(broker.pid).toBe(pid)
    expect(await answeredStatus(rome)).toBe(200)
  })

  it('keeps the old certificate while the new files do not fit together', async () => {
    const broker = await aBroker()
    const before = await shownSerial(broker)

    writeFileSync(join(broker.certPath, 'tls.key'), 'half a key')
    await eventually('It complains', () => broker.logs().includes('old ones stay') || undefined)

    expect(await shownSerial(broker)).toBe(before)
    expect(await broker.isReady()).toBe(true)
  })

  it('cuts a revoked caller off, on its open connection and in its long poll', async () => {
    const broker = await aBroker()
    const rome = await broker.aRawCaller('rome', 1)
    const polling = await broker.aRawCaller('rome')
    const paris = await broker.aRawCaller('paris', 1)
    await rome.get(INSTRUCTIONS)
    const poll = polling.get(`${INSTRUCTIONS}?wait=60s`).then(({ status }) => status, cut)

    await broker.certificates.revoke(['rome'], broker.certPath)
    await eventually('Rome is cut off', async () => {
      const status = await rome.get(INSTRUCTIONS).then(({ status }) => status, cut)
      return status === 200 ? undefined : status
    })
    const polled = await poll

    // At the end of its wait it would have been answered 200.
    expect([403, 503, 'cut']).toContain(polled)
    // Not merely once: a second look on a new connection finds the same.
    expect([403, 'cut']).toContain(
      await polling.get(INSTRUCTIONS).then(({ status }) => status, cut),
    )
    expect([403, 'cut']).toContain(await rome.get(INSTRUCTIONS).then(({ status }) => status, cut))
    expect(await answeredStatus(paris)).toBe(200)
  })

  it('obeys a changed deny list at once', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bourse-denied-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const list = join(dir, 'denied')
    writeFileSync(list, '')
    const broker = await aBroker([`--deny-clusters=@${list}`])
    const rome = await broker.aRawCaller('rome', 1)
    const before = await rome.get(INSTRUCTIONS)

    writeFileSync(list, 'rome\n')
    const refused = await eventually('Rome is denied', async () => {
      const reply = await rome.get(INSTRUCTIONS)
      return reply.status === 200 ? undefined : reply
    })

    expect(before.status).toBe(200)
    expect(refused).toMatchObject({ status: 403, json: { code: 'ClusterDenied' } })
  })
})

async function aBroker(flags: readonly string[] = []): Promise<TestBroker> {
  const broker = await startBroker({ flags })
  onTestFinished(broker.dispose)
  return broker
}

const cut = () => 'cut' as const

/** A connection of the old days may end just now; the next one is of the new. */
function answeredStatus(caller: RawCaller): Promise<number> {
  return eventually('An answer comes', () =>
    caller.get(INSTRUCTIONS).then(
      ({ status }) => (status === 503 ? undefined : status),
      () => undefined,
    ),
  )
}

async function shownSerial(broker: TestBroker): Promise<string> {
  const certPath = await broker.certificates.forCluster('rome')
  const { hostname, port } = new URL(broker.url)
  const ca = readFileSync(join(certPath, 'ca.crt'))
  const socket = connect({ host: hostname, port: Number(port), ca })
  // Coming without a certificate, it is shown ours and then the door.
  socket.on('error', () => {})
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '')
      socket.destroy()
    })
    socket.once('close', () => reject(new Error('No handshake.')))
  })
}
