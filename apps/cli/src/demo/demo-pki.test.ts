import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type DemoCertificates, prepareCertificates } from './demo-pki.ts'

const START = Date.parse('2026-11-01T12:00:00Z')
const on = (day: number) => () => new Date(START + day * 86_400_000)

describe('the certificates of a demo that is started again', () => {
  it('are kept while they last', async () => {
    const dir = aDirectory()
    const first = serialsOf(await prepareCertificates(dir, ['rome'], on(0)))

    const again = serialsOf(await prepareCertificates(dir, ['rome'], on(20)))

    expect(again).toEqual(first)
  })

  it.each([29, 31])('are made anew on day %d, with a CA that vouches for them', async (day) => {
    const dir = aDirectory()
    const first = serialsOf(await prepareCertificates(dir, ['rome'], on(0)))

    const certificates = await prepareCertificates(dir, ['rome'], on(day))

    const again = serialsOf(certificates)
    expect(again.filter((serial) => first.includes(serial))).toEqual([])
    const rome = certificateIn(certificates.of('rome'), 'tls.crt')
    const trusted = certificateIn(certificates.broker, 'ca.crt')
    expect(rome.verify(trusted.publicKey)).toBe(true)
    expect(rome.validToDate.getTime()).toBeGreaterThan(on(day + 20)().getTime())
  })

  it('are made anew one by one, where only some are old', async () => {
    const dir = aDirectory()
    await prepareCertificates(dir, ['rome'], on(0))
    await prepareCertificates(dir, ['rome', 'oslo'], on(20))
    const oslo = certificateIn(join(dir, 'pki', 'oslo'), 'tls.crt')

    const certificates = await prepareCertificates(dir, ['rome', 'oslo'], on(25))

    expect(certificateIn(certificates.of('oslo'), 'tls.crt').serialNumber).toBe(oslo.serialNumber)
  })
})

function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-demo-pki-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function serialsOf({ broker, operator, of }: DemoCertificates): string[] {
  return [broker, operator, of('rome')].map((dir) => certificateIn(dir, 'tls.crt').serialNumber)
}

function certificateIn(dir: string, name: string): X509Certificate {
  return new X509Certificate(readFileSync(join(dir, name)))
}
