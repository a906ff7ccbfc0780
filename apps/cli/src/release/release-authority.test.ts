import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemorySecrets } from '../../fixtures/release/memory-secrets.ts'
import { readRelease } from './release.ts'
import { renewRelease, withReleaseAuthority } from './release-authority.ts'

const release = readRelease('bourse-system/bourse-broker')
const { authority: CA, broker: BROKER, operator: OPERATOR } = release.secrets
const INSIDE = ['bourse-broker', 'bourse-broker.bourse-system.svc']
const DAY_MS = 86_400_000

/** A release on a day: `renew` is what its Job and CronJob do. */
function aRelease() {
  const secrets = createMemorySecrets([CA, BROKER, OPERATOR])
  const start = Date.now()
  let day = 0
  const now = () => new Date(start + day * DAY_MS)
  const ports = () => ({ secrets: secrets.open(), now })
  return {
    secrets,
    ports,
    renew: (names: readonly string[] = INSIDE) =>
      renewRelease(release, ports(), { names, days: 90 }),
    pass: (days: number) => {
      day += days
    },
    certificate: (secret: string) => new X509Certificate(secrets.files(secret)['tls.crt'] ?? ''),
  }
}

const whys = (renewals: Awaited<ReturnType<typeof renewRelease>>) => renewals.map(({ why }) => why)

describe('the certificates of a release', () => {
  it('are made once: an authority, a broker at its names, an operator', async () => {
    const { renew, secrets, certificate } = aRelease()

    const made = await renew()
    const again = await renew()

    expect(whys(made)).toEqual(['was missing', 'was missing'])
    expect(whys(again)).toEqual([undefined, undefined])
    expect(certificate(BROKER).subjectAltName).toContain('DNS:bourse-broker.bourse-system.svc')
    expect(certificate(BROKER).checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate(OPERATOR).subject).toBe('CN=operator\nO=bourse:admin')
    expect(Object.keys(secrets.files(CA)).sort()).toEqual(['ca.crt', 'ca.key', 'issued.json'])
    expect(Object.keys(secrets.files(BROKER)).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key'])
  })

  it('are renewed at a third of their days by the same authority', async () => {
    const { renew, pass, secrets, certificate } = aRelease()
    await renew()
    const { 'ca.crt': before } = secrets.files(CA)

    pass(59)
    const early = await renew()
    pass(2)
    const due = await renew([])

    expect(whys(early)).toEqual([undefined, undefined])
    expect(whys(due)).toEqual(['expired soon', 'expired soon'])
    expect(secrets.files(CA)['ca.crt']).toBe(before)
    expect(certificate(BROKER).subjectAltName).toContain('DNS:bourse-broker.bourse-system.svc')
  })

  it('are made anew for another name of the broker', async () => {
    const { renew, certificate } = aRelease()
    await renew()

    const renewed = await renew([...INSIDE, 'broker.example.org', '192.0.2.10'])

    expect(whys(renewed)).toEqual(['was for other names', undefined])
    expect(certificate(BROKER).checkHost('broker.example.org')).toBe('broker.example.org')
    expect(certificate(BROKER).checkIP('192.0.2.10')).toBe('192.0.2.10')
  })

  it('follow another authority', async () => {
    const { renew, secrets } = aRelease()
    await renew()
    secrets.put(CA, {})

    expect(whys(await renew())).toEqual(['was of another authority', 'was of another authority'])
    expect(secrets.files(OPERATOR)['ca.crt']).toBe(secrets.files(CA)['ca.crt'])
  })

  it('revoked, are replaced, and the broker gets the list', async () => {
    const { renew, ports, secrets } = aRelease()
    await renew()

    await withReleaseAuthority(release, ports(), (authority) => authority.revoke('operator'))

    expect(whys(await renew())).toEqual([undefined, 'was revoked'])
    expect(secrets.files(BROKER)['crl.pem']).toContain('BEGIN X509 CRL')
    expect(whys(await renew())).toEqual([undefined, undefined])
  })

  it('made by two at once are those of the first', async () => {
    const { renew, secrets, certificate } = aRelease()

    const [first, second] = await Promise.allSettled([renew(), renew()])

    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
    const authority = new X509Certificate(secrets.files(CA)['ca.crt'] ?? '')
    expect(certificate(BROKER).verify(authority.publicKey)).toBe(true)
  })
})

describe('the authority of a release', () => {
  it('is missed, and never named by the directory that it is worked on in', async () => {
    const { renew, ports, secrets } = aRelease()
    // As cert-manager keeps one.
    secrets.put(CA, { 'tls.crt': 'another', 'tls.key': 'another' })
    const onRelease = withReleaseAuthority(release, ports(), (authority) =>
      authority.revoke('rome'),
    )
    await expect(onRelease).rejects.toMatchObject({
      message: expect.stringContaining('bourse-system/bourse-broker-ca holds no authority'),
    })

    secrets.put(CA, {})
    await renew()
    const unknown = withReleaseAuthority(release, ports(), (authority) => authority.revoke('rome'))
    await expect(unknown).rejects.toMatchObject({
      next: expect.stringContaining('ca list --release bourse-system/bourse-broker'),
    })
  })

  it('records a certificate before it exists', async () => {
    const { renew, ports, secrets } = aRelease()
    await renew()
    const out = join(aDirectory(), 'rome')
    const order = { name: 'rome', role: 'cluster', days: 30, out } as const

    await withReleaseAuthority(release, ports(), (authority) => authority.issue(order))
    const refused = withReleaseAuthority(release, ports(), async (authority) => {
      secrets.put(CA, secrets.files(CA))
      return authority.issue({ ...order, name: 'oslo', out: `${out}-oslo` })
    })

    expect(secrets.files(CA)['issued.json']).toContain('"name": "rome"')
    expect(readFileSync(join(out, 'ca.crt'), 'utf8')).toBe(secrets.files(CA)['ca.crt'])
    await expect(refused).rejects.toThrow('was changed')
    expect(() => readFileSync(join(`${out}-oslo`, 'tls.crt'))).toThrow('ENOENT')
  })
})

function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-issued-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}
