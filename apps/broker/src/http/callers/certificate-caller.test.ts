import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { callerIn } from './certificate-caller.ts'

type Subject = x509.JsonName
const { clientAuth, serverAuth } = x509.ExtendedKeyUsage

/** Self-signed: who signed it is the handshake's business. */
async function aCertificate(name: Subject, usages: string[] = [clientAuth]) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name,
      signingAlgorithm: algorithm,
      keys,
      extensions: usages.length > 0 ? [new x509.ExtendedKeyUsageExtension(usages)] : [],
    },
    webcrypto,
  )
  return new X509Certificate(Buffer.from(certificate.rawData))
}

describe('callerIn', () => {
  it.each([
    { name: 'a cluster', subject: [{ CN: ['paris'] }], caller: { id: 'paris', isOperator: false } },
    {
      name: 'a cluster of some organisation',
      subject: [{ CN: ['paris'] }, { O: ['Acme'] }],
      caller: { id: 'paris', isOperator: false },
    },
    {
      name: 'an operator with any name',
      subject: [{ CN: ['Ada Lovelace'] }, { O: ['Acme'] }, { O: ['bourse:admin'] }],
      caller: { id: 'Ada Lovelace', isOperator: true },
    },
    {
      name: 'a certificate without usages, as openssl makes them',
      subject: [{ CN: ['paris'] }],
      usages: [],
      caller: { id: 'paris', isOperator: false },
    },
  ])('knows $name', async ({ subject, usages, caller }) => {
    const certificate = await aCertificate(subject, usages)

    expect(callerIn(certificate)).toEqual(caller)
  })

  it.each([
    { name: 'no Common Name', subject: [{ O: ['bourse:admin'] }], says: 'has no Common Name' },
    {
      name: 'two of them',
      subject: [{ CN: ['paris'] }, { CN: ['rome'] }],
      says: 'has 2 Common Names',
    },
    { name: 'a name with slashes', subject: [{ CN: ['a/../b'] }], says: '"a/../b"' },
    { name: 'a name in capitals', subject: [{ CN: ['Paris'] }], says: '"Paris"' },
    {
      name: 'a name of 300 characters',
      subject: [{ CN: ['x'.repeat(300)] }],
      says: `"${'x'.repeat(80)}…"`,
    },
    { name: 'a name of 64 characters', subject: [{ CN: ['x'.repeat(64)] }], says: 'at most 63' },
    {
      name: 'only the server’s usage',
      subject: [{ CN: ['paris'] }],
      usages: [serverAuth],
      says: 'clientAuth',
    },
  ])('refuses a certificate with $name', async ({ subject, usages, says }) => {
    const certificate = await aCertificate(subject, usages)

    expect(callerIn(certificate)).toMatchObject({
      code: 'InvalidIdentity',
      message: expect.stringContaining(says),
    })
  })
})
