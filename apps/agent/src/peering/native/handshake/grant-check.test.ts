import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantProblem } from './grant-check.ts'

let certificates: TestCertificates
let [ca, signedCRT, ownKey, otherKey] = ['', '', '', '']

const read = (dir: string, name: string) => readFileSync(join(dir, name), 'utf8')
const keyIn = (pem: string) =>
  String(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' }))
const base64 = (text: string) => Buffer.from(text).toString('base64')

beforeAll(async () => {
  certificates = await makeTestCertificates()
  const own = await certificates.forCluster('rome')
  ca = base64(read(own, 'ca.crt'))
  signedCRT = base64(read(own, 'tls.crt'))
  ownKey = keyIn(read(own, 'tls.crt'))
  otherKey = keyIn(read(await certificates.forCluster('paris'), 'tls.crt'))
})
afterAll(() => certificates.dispose())

describe('what a provider hands out', () => {
  const apiServer = 'https://paris.example:6443'

  it('may be used when it is for our own key, at an https address', () => {
    expect(grantProblem({ ca, signedCRT, apiServer }, ownKey)).toBeUndefined()
  })

  it('may lack a CA if the API server has a publicly trusted certificate', () => {
    expect(grantProblem({ signedCRT, apiServer }, ownKey)).toBeUndefined()
  })

  it('is refused with a sentence where it is to be reached through a proxy', () => {
    const proxyURL = 'http://10.71.0.1:8118'

    const flaw = grantProblem({ ca, signedCRT, apiServer, proxyURL }, ownKey)

    expect(flaw?.reason).toBe('InBandProxy')
    expect(flaw?.message).toContain('behind the proxy http://10.71.0.1:8118')
    expect(grantProblem({ ca, signedCRT, apiServer, proxyURL: '' }, ownKey)).toBeUndefined()
  })

  it('is refused with a sentence where it carries a secret key of AWS', () => {
    const flaw = grantProblem({ ca, signedCRT, apiServer, awsConfig: { awsRegion: 'x' } }, ownKey)

    expect(flaw?.reason).toBe('AwsIdentity')
    expect(flaw?.message).toContain('never sent through a broker')
  })

  it.each(['http://paris.example:6443', 'paris.example', ''])('is refused at %j', (address) => {
    const flaw = grantProblem({ ca, signedCRT, apiServer: address }, ownKey)

    expect(flaw?.reason).toBe('BadApiServer')
    expect(flaw?.message).toContain('--api-server-url')
  })

  it('is refused with a CA that is none', () => {
    const flaw = grantProblem({ ca: base64('hello'), signedCRT, apiServer }, ownKey)

    expect(flaw?.reason).toBe('BadAuthority')
  })

  it('is refused when it certifies another key', () => {
    expect(grantProblem({ ca, signedCRT, apiServer }, otherKey)?.reason).toBe('ForeignCertificate')
    expect(grantProblem({ ca, apiServer }, ownKey)?.reason).toBe('ForeignCertificate')
  })
})
