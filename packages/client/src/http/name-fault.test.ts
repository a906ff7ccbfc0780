import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playBroker } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHttpBroker } from './http-broker.ts'
import { createFaultNaming } from './name-fault.ts'

const { play, closeLater, certificates, rome } = useScriptedBrokers()

describe('a certificate of the broker that is invalid for every client', () => {
  it.each([
    { flaw: 'has expired', usage: 'server', days: -2 },
    { flaw: 'is for clients, not for a broker', usage: 'client', days: 2 },
  ] as const)('must be replaced by its operator when it $flaw', async ({ flaw, usage, days }) => {
    const leaf = { commonName: 'broker', usages: [usage], ip: ['127.0.0.1'] }
    const bad = await certificates().forLeaf(`broker-${usage}`, leaf, days)
    const script = closeLater(await playBroker(bad, [{ status: 200 }]))

    await expect(askedAt(script.url)).rejects.toMatchObject({
      name: 'IdentityRefused',
      message: expect.stringContaining(`The certificate of ${script.url} ${flaw}: its operator`),
      isForOperator: true,
    })
  })
})

describe('another server at that address', () => {
  it('is recognised when it does not use TLS', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    // A listening TCP server always has such an address.
    const { port } = server.address() as AddressInfo

    await expect(askedAt(`https://127.0.0.1:${port}`)).rejects.toMatchObject({
      name: 'BrokerUnreachable',
      message: expect.stringContaining('does not use TLS'),
      isUnsent: true,
    })
  })
})

describe('a broker that does not accept our certificate', () => {
  it.each([
    ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REVOKED', 'it has been revoked'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'it has expired'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'it was issued by an unknown authority'],
  ])('is believed when it says why: %s', (code, why) => {
    const name = createFaultNaming(() => undefined)

    const fault = name('https://broker', Object.assign(new Error('alert'), { code }))

    expect(fault).toMatchObject({
      name: 'IdentityRefused',
      message: `https://broker did not accept our certificate: ${why}.`,
    })
  })

  it('may be the reason when it closes the connection without an alert', async () => {
    const script = await play('hang up')

    await expect(askedAt(script.url)).rejects.toMatchObject({
      name: 'BrokerUnreachable',
      isMaybeIdentity: true,
    })
  })
})

it.each(['pkcs8', 'sec1'] as const)('a %s key with a passphrase is named', async (type) => {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  cpSync(rome(), directory, { recursive: true })
  const key = createPrivateKey(readFileSync(join(directory, 'tls.key')))
  const protection = { cipher: 'aes-256-cbc', passphrase: 'secret' }
  writeFileSync(join(directory, 'tls.key'), key.export({ type, format: 'pem', ...protection }))

  await expect(askedAt('https://127.0.0.1:1', directory)).rejects.toMatchObject({
    name: 'IdentityRefused',
    message: expect.stringContaining('is protected by a passphrase: openssl pkey -in tls.key'),
  })
})

function patientOnce(url: string, certPath = rome()) {
  return createHttpBroker({ url, certPath, retry: { attemptsMax: 1 } })
}

function askedAt(url: string, certPath?: string): Promise<unknown> {
  return closeLater(patientOnce(url, certPath)).ping()
}
