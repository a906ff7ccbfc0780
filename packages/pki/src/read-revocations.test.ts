import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeLeaf, makeRevocationList, makeRoot } from './certificate-maker.ts'
import { readRevocations } from './revocations.ts'

const from = new Date()
const options = { keyType: 'ec', validity: { from, days: 30 } } as const
const YEARS_20_MS = 20 * 365 * 86_400_000

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
}

async function aFederation() {
  const root = await makeRoot('federation', 'ec', options.validity)
  const rome = await makeLeaf(root, { commonName: 'rome', usages: ['client'] }, options)
  const list = await makeRevocationList(root, [{ serial: rome.serial, at: from }], from)
  const authority = new X509Certificate(root.certificate).raw
  return { authority, list, rome: new X509Certificate(rome.certificate).raw }
}

describe('readRevocations', () => {
  it.each([
    { name: 'PEM', encode: (pem: string) => Buffer.from(pem) },
    { name: 'several in PEM', encode: (pem: string) => Buffer.from(pem + pem) },
    { name: 'DER', encode: derOf },
  ])('reads a list in $name', async ({ encode }) => {
    const { authority, list, rome } = await aFederation()

    const read = await readRevocations(encode(list), [authority], Date.now())

    expect(read.count).toBe(1)
    expect([read.isRevoked(rome), read.isRevoked(authority)]).toEqual([true, false])
    expect(read.handshakeList).toContain('BEGIN X509 CRL')
  })

  it('keeps a list that is out of date from locking all clients out', async () => {
    const { authority, list, rome } = await aFederation()

    const read = await readRevocations(Buffer.from(list), [authority], Date.now() + YEARS_20_MS)

    expect(read.handshakeList).toBeUndefined()
    expect(read.isRevoked(rome)).toBe(true)
  })

  it('keeps an authority without a list from locking its clusters out', async () => {
    const ours = await aFederation()
    const theirs = await makeRoot('partners', 'ec', options.validity)
    const authorities = [ours.authority, new X509Certificate(theirs.certificate).raw]

    const read = await readRevocations(Buffer.from(ours.list), authorities, Date.now())

    expect(read.handshakeList).toBeUndefined()
  })

  it('refuses a list that no authority in ca.crt has signed', async () => {
    const { list } = await aFederation()
    const { authority } = await aFederation()

    const reading = readRevocations(Buffer.from(list), [authority], Date.now())

    await expect(reading).rejects.toThrow('not signed by an authority in ca.crt')
  })
})
