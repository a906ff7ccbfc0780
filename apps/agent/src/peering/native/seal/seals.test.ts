import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyType, makeLeaf, makeRevocationList, makeRoot } from '@bourse/pki'
import { afterAll, describe, expect, it } from 'vitest'
import type { Envelope } from './envelope.ts'
import { createSeals, type Message } from './seals.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'bourse-seals-'))
let folders = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const place = { session: 'ps-1', step: 'hello', from: 'rome', to: 'paris' }
const hello: Message = { ...place, body: { liqoID: 'rome-1' }, expiresInMs: 10 * MINUTE_MS }

type Certified = {
  keyType?: KeyType
  usages?: readonly ('server' | 'client')[]
  from?: Date
  days?: number
}

async function aFederation(rootKey: KeyType = 'ec') {
  const root = await makeRoot('federation', rootKey, { from: NOW, days: 365 })

  async function enrol(name: string, how: Certified = {}) {
    const { keyType = 'ec', usages = ['client'], from = NOW, days = 30 } = how
    const options = { keyType, validity: { from, days } }
    const made = await makeLeaf(root, { commonName: name, usages }, options)
    const certPath = join(folder, `${name}-${folders++}`)
    mkdirSync(certPath)
    writeFileSync(join(certPath, 'tls.crt'), made.certificate)
    writeFileSync(join(certPath, 'tls.key'), made.key)
    writeFileSync(join(certPath, 'ca.crt'), root.certificate)
    return { certPath, serial: made.serial, seals: sealsAt(certPath) }
  }
  return { root, join: enrol }
}

function sealsAt(certPath: string, now = NOW.getTime()) {
  return createSeals({ certPath, clock: { now: () => now } })
}

async function twoClusters(how: Certified = {}) {
  const federation = await aFederation()
  const rome = await federation.join('rome', how)
  const paris = await federation.join('paris')
  return { ...federation, rome, paris }
}

function altered(sealed: string, change: (payload: Record<string, unknown>) => object): string {
  const envelope = JSON.parse(sealed) as Envelope
  const payload = JSON.parse(Buffer.from(envelope.payload, 'base64url').toString())
  const other = Buffer.from(JSON.stringify(change(payload))).toString('base64url')
  return JSON.stringify({ ...envelope, payload: other })
}

describe('a sealed message', () => {
  it.each(['ec', 'rsa', 'ed25519'] as const)(
    'is read by its receiver: %s keys',
    async (keyType) => {
      const { rome, paris } = await twoClusters({ keyType })

      const sealed = await rome.seals.seal(hello)

      expect(await paris.seals.open(sealed, place)).toEqual({
        kind: 'genuine',
        body: { liqoID: 'rome-1' },
      })
    },
  )

  it('is read again by its own sender', async () => {
    const { rome } = await twoClusters()

    const sealed = await rome.seals.seal(hello)

    expect(await rome.seals.open(sealed, place)).toMatchObject({ kind: 'genuine' })
  })

  it('is too large to be carried above 16 KiB', async () => {
    const { rome } = await twoClusters()

    const sealing = rome.seals.seal({ ...hello, body: 'x'.repeat(16 * 1024) })

    await expect(sealing).rejects.toThrow("The message 'hello' to paris has")
  })
})

describe('a hostile broker', () => {
  it('cannot change what is said', async () => {
    const { rome, paris } = await twoClusters()
    const sealed = await rome.seals.seal(hello)

    const swapped = altered(sealed, (payload) => ({ ...payload, body: { liqoID: 'mine' } }))

    expect(await paris.seals.open(swapped, place)).toEqual({
      kind: 'refused',
      reason: 'Altered',
      message: 'The signature does not match: it was changed in transit.',
    })
  })

  it.each([
    { field: 'session', said: { ...place, session: 'ps-2' } },
    { field: 'step', said: { ...place, step: 'tenant' } },
    { field: 'from', said: { ...place, from: 'berlin' } },
    { field: 'to', said: { ...place, to: 'berlin' } },
  ])('cannot use it elsewhere: another $field', async ({ field, said }) => {
    const { rome, paris } = await twoClusters()
    const sealed = await rome.seals.seal({ ...hello, ...said })

    const opened = await paris.seals.open(sealed, place)

    expect(opened).toMatchObject({ kind: 'refused', reason: 'Replayed' })
    expect(opened).toHaveProperty('message', expect.stringContaining(`sealed for ${field}`))
  })

  it('cannot make one cluster speak for another', async () => {
    const { join, paris } = await twoClusters()
    const berlin = await join('berlin')

    const sealed = await berlin.seals.seal(hello)

    expect(await paris.seals.open(sealed, place)).toEqual({
      kind: 'refused',
      reason: 'WrongSigner',
      message: 'It is signed by berlin, not rome.',
    })
  })

  it('cannot lend a cluster its certificate: the key is missing', async () => {
    const { join, rome, paris } = await twoClusters()
    const berlin = await join('berlin')
    const genuine = JSON.parse(await rome.seals.seal(hello)) as Envelope
    const forged = JSON.parse(await berlin.seals.seal(hello)) as Envelope

    const mixed = JSON.stringify({ ...forged, certificates: genuine.certificates })

    expect(await paris.seals.open(mixed, place)).toMatchObject({ reason: 'Altered' })
  })

  it('cannot use an authority of its own, also one of the same name', async () => {
    const { paris } = await twoClusters()
    const elsewhere = await (await aFederation()).join('rome')

    const sealed = await elsewhere.seals.seal(hello)

    expect(await paris.seals.open(sealed, place)).toEqual({
      kind: 'refused',
      reason: 'Untrusted',
      message: 'No authority in ca.crt has issued CN=rome.',
    })
  })

  it('cannot use a certificate made for servers', async () => {
    const { rome, paris } = await twoClusters({ usages: ['server'] })

    const sealed = await rome.seals.seal(hello)

    expect(await paris.seals.open(sealed, place)).toEqual({
      kind: 'refused',
      reason: 'WrongSigner',
      message: 'The certificate of rome is not a client certificate.',
    })
  })

  it.each([
    { name: 'no JSON', sealed: 'hello' },
    { name: 'no envelope', sealed: '{"payload":1}' },
    { name: 'nothing', sealed: '' },
    { name: 'no certificate', sealed: '{"payload":"e30","signature":"","certificates":"-----"}' },
    { name: 'too much', sealed: 'x'.repeat(16 * 1024 + 1) },
  ])('is not believed with $name', async ({ sealed }) => {
    const { paris } = await twoClusters()

    expect(await paris.seals.open(sealed, place)).toMatchObject({ reason: 'Malformed' })
  })
})

describe('with time', () => {
  it.each([
    { name: 'is good within the difference of two clocks', afterMs: 14, opened: 'genuine' },
    { name: 'is not good any more after that', afterMs: 16, opened: 'Expired' },
    { name: 'may come from a clock that is a little ahead', afterMs: -4, opened: 'genuine' },
    { name: 'may not come from a clock that is far ahead', afterMs: -6, opened: 'FromTheFuture' },
  ])('a message $name', async ({ afterMs, opened }) => {
    const { rome, paris } = await twoClusters({ from: new Date(NOW.getTime() - DAY_MS) })
    const sealed = await rome.seals.seal(hello)

    const later = sealsAt(paris.certPath, NOW.getTime() + afterMs * MINUTE_MS)
    const result = await later.open(sealed, place)

    expect(result.kind === 'genuine' ? result.kind : result.reason).toBe(opened)
  })

  it('the certificate of its sender expires', async () => {
    const { rome, paris } = await twoClusters({ days: 1 })
    const sealed = await rome.seals.seal({ ...hello, expiresInMs: 3 * DAY_MS })

    const later = sealsAt(paris.certPath, NOW.getTime() + 2 * DAY_MS)

    expect(await later.open(sealed, place)).toEqual({
      kind: 'refused',
      reason: 'CertificateExpired',
      message: 'CN=rome is only valid from 2026-11-15T11:55:00.000Z to 2026-11-16T12:00:00.000Z.',
    })
  })

  it('the certificate of its sender is revoked', async () => {
    const { root, rome, paris } = await twoClusters()
    const sealed = await rome.seals.seal(hello)

    writeFileSync(join(paris.certPath, 'crl.pem'), await makeRevocationList(root, [], NOW))
    expect(await paris.seals.open(sealed, place)).toMatchObject({ kind: 'genuine' })
    const list = await makeRevocationList(root, [{ serial: rome.serial, at: NOW }], NOW)
    writeFileSync(join(paris.certPath, 'crl.pem'), list)

    expect(await paris.seals.open(sealed, place)).toEqual({
      kind: 'refused',
      reason: 'Revoked',
      message: 'CN=rome has been revoked.',
    })
  })

  it('no message is believed while the revocation list cannot be read', async () => {
    const { rome, paris } = await twoClusters()
    const sealed = await rome.seals.seal(hello)

    writeFileSync(join(paris.certPath, 'crl.pem'), 'half a fi')

    await expect(paris.seals.open(sealed, place)).rejects.toThrow()
  })
})
