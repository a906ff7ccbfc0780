import { X509Certificate } from 'node:crypto'
import { makeLeaf, makeRevocationList, makeRoot } from '@bourse/pki'
import { describe, expect, it } from 'vitest'
import { certificateKey, readRevocations } from './revocation.ts'

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
  const keyOfRome = certificateKey(new X509Certificate(rome.certificate).raw)
  return { authority: new X509Certificate(root.certificate).raw, list, keyOfRome }
}

describe('readRevocations', () => {
  it.each([
    { name: 'PEM', encode: (pem: string) => Buffer.from(pem) },
    { name: 'several in PEM', encode: (pem: string) => Buffer.from(pem + pem) },
    { name: 'DER', encode: derOf },
  ])('reads a list in $name', async ({ encode }) => {
    const { authority, list, keyOfRome } = await aFederation()

    const { revoked, fitsHandshake } = await readRevocations(encode(list), [authority], Date.now())

    expect([...revoked]).toEqual([keyOfRome])
    expect(fitsHandshake).toBe(true)
  })

  it('keeps a list that is out of date from locking everybody out', async () => {
    const { authority, list, keyOfRome } = await aFederation()

    const read = await readRevocations(Buffer.from(list), [authority], Date.now() + YEARS_20_MS)

    expect(read.fitsHandshake).toBe(false)
    expect(read.revoked.has(keyOfRome)).toBe(true)
  })

  it('keeps an authority without a list from locking its clusters out', async () => {
    const ours = await aFederation()
    const theirs = await makeRoot('partners', 'ec', options.validity)
    const authorities = [ours.authority, new X509Certificate(theirs.certificate).raw]

    const read = await readRevocations(Buffer.from(ours.list), authorities, Date.now())

    expect(read.fitsHandshake).toBe(false)
  })

  it('refuses a list that nobody in ca.crt has signed', async () => {
    const { list } = await aFederation()
    const { authority } = await aFederation()

    const reading = readRevocations(Buffer.from(list), [authority], Date.now())

    await expect(reading).rejects.toThrow('no authority in ca.crt has signed')
  })
})
