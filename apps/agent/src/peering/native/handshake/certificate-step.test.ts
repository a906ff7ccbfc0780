import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateStep } from './certificate-step.ts'

let certificates: TestCertificates
let signedCRT = ''
let [beginsAt, endsAt] = [0, 0]

beforeAll(async () => {
  certificates = await makeTestCertificates()
  const pem = readFileSync(join(await certificates.forCluster('rome'), 'tls.crt'), 'utf8')
  signedCRT = Buffer.from(pem).toString('base64')
  const { validFromDate, validToDate } = new X509Certificate(pem)
  beginsAt = validFromDate.getTime()
  endsAt = validToDate.getTime()
})
afterAll(() => certificates.dispose())

const after = (share: number) => beginsAt + (endsAt - beginsAt) * share

describe('the certificate of a peering', () => {
  it.each([
    { share: 0.1, status: 'True', reason: 'Certified' },
    // Liqo has renewed it by then.
    { share: 0.7, status: 'True', reason: 'Certified' },
    { share: 0.8, status: 'True', reason: 'CertificateEnding' },
    { share: 1.01, status: 'False', reason: 'CertificateExpired' },
  ])('after $share of its life is told as $reason', ({ share, status, reason }) => {
    const { step } = certificateStep({ signedCRT }, after(share))

    expect(step).toMatchObject({ type: 'IdentityReady', status, reason })
    expect(step.message).toContain(new Date(endsAt).toISOString().slice(0, 10))
  })

  it('is looked at again when it would be late, and at its end', () => {
    expect(certificateStep({ signedCRT }, after(0.75) - 1_000).againAfterMs).toBe(1_000)
    expect(certificateStep({ signedCRT }, endsAt - 1_000).againAfterMs).toBe(1_000)
    expect(certificateStep({ signedCRT }, beginsAt).againAfterMs).toBeLessThanOrEqual(86_400_000)
    expect(certificateStep({ signedCRT }, endsAt + 1).againAfterMs).toBeUndefined()
  })

  it('says nothing of an end that is not known', () => {
    const { step, againAfterMs } = certificateStep(undefined, 0)

    expect(step.message).toBe("Liqo has access to the provider's cluster")
    expect(againAfterMs).toBeUndefined()
  })
})
