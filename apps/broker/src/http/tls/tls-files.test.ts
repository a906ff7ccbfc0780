import { createPrivateKey } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTlsFiles } from './tls-files.ts'

const federation = useCertificates()

describe('the files of a certificate directory', () => {
  it('are taken without a word when they are made for a broker', async () => {
    const { warnings } = await readTlsFiles(await federation().forServer(), Date.now())

    expect(warnings).toEqual([])
  })

  it('are taken with a warning when they are made for clients', async () => {
    const { warnings } = await readTlsFiles(await federation().forCluster('rome'), Date.now())

    expect(warnings).toEqual([
      'tls.crt is made for clients: callers will refuse the broker; ' +
        '`bourse ca issue broker --server` makes one for the broker',
    ])
  })

  const garbledCertificate = `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`
  const remedy =
    'copy the whole list there again, in PEM or DER, or remove the file if nothing is revoked'
  it.each([
    { file: 'crl.pem', text: '', message: `crl.pem is empty: ${remedy}` },
    {
      file: 'crl.pem',
      text: 'hello',
      message: `crl.pem is not a revocation list, or is incomplete: ${remedy}`,
    },
    {
      file: 'crl.pem',
      text: '-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n',
      message: `crl.pem is not a revocation list, or is incomplete: ${remedy}`,
    },
    {
      file: 'crl.pem',
      text: '-----BEGIN X509 CRL-----\nMIIB\n',
      message: `crl.pem does not contain a revocation list: ${remedy}`,
    },
    {
      file: 'tls.key',
      text: 'hello',
      message: 'tls.key does not hold a whole private key in PEM: copy it there again',
    },
    {
      file: 'ca.crt',
      text: garbledCertificate,
      message: 'ca.crt does not hold a whole certificate in PEM: copy it there again',
    },
    { file: 'tls.crt', text: 'hello', message: 'tls.crt holds no certificate' },
  ])('say in our words what is wrong with $file: $message', async ({ file, text, message }) => {
    const directory = mkdtempSync(join(tmpdir(), 'bourse-tls-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    cpSync(await federation().forServer(), directory, { recursive: true })
    writeFileSync(join(directory, file), text)

    await expect(readTlsFiles(directory, Date.now())).rejects.toThrow(new Error(message))
  })

  it.each(['pkcs8', 'sec1'] as const)('name a %s key with a passphrase', async (type) => {
    const directory = mkdtempSync(join(tmpdir(), 'bourse-tls-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    cpSync(await federation().forServer(), directory, { recursive: true })
    const key = createPrivateKey(readFileSync(join(directory, 'tls.key')))
    const protection = { cipher: 'aes-256-cbc', passphrase: 'secret' }
    writeFileSync(join(directory, 'tls.key'), key.export({ type, format: 'pem', ...protection }))

    await expect(readTlsFiles(directory, Date.now())).rejects.toThrow(
      'tls.key is protected by a passphrase: openssl pkey -in tls.key -out tls.key.plain',
    )
  })
})
