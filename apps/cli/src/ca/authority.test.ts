import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shakeHands } from '../../fixtures/ca/handshake.ts'
import { type Authority, initAuthority, openAuthority } from './authority.ts'

const NOW = new Date()
const DAYS = { days: 30 } as const

/** Primes are found by chance: a key of RSA may take seconds, and on a busy machine many. */
const KEYS_WITHIN_MS = 120_000

describe.each(['ec', 'rsa'] as const)(
  'an authority with %s keys',
  { timeout: KEYS_WITHIN_MS },
  (keyType) => {
    let dir = ''
    let authority: Authority
    const at = (...parts: string[]) => join(dir, ...parts)

    beforeAll(async () => {
      dir = join(mkdtempSync(join(tmpdir(), 'bourse-ca-')), 'pki')
      await initAuthority(dir, { name: 'test federation', keyType, days: 365, now: NOW })
      authority = openAuthority(dir, () => NOW)
      await authority.issue({ name: 'broker', role: 'server', ...DAYS })
      await authority.issue({ name: 'rome', role: 'cluster', ...DAYS })
      await authority.issue({ name: 'alice', role: 'operator', ...DAYS })
    }, KEYS_WITHIN_MS)
    afterAll(() => rmSync(at('..'), { recursive: true }))

    it('keeps private keys private', () => {
      expect(statSync(at('ca.key')).mode & 0o777).toBe(0o600)
      expect(statSync(at('rome', 'tls.key')).mode & 0o777).toBe(0o600)
    })

    it.each([
      { name: 'rome', subject: { CN: 'rome' } },
      { name: 'alice', subject: { CN: 'alice', O: 'bourse:admin' } },
    ])('lets $name shake hands with the broker', async ({ name, subject }) => {
      const seen = await shakeHands(at('broker'), at(name))

      expect(seen).toEqual({ authorized: true, subject })
    })

    it.each([
      { named: {}, names: ['DNS:server', 'DNS:localhost'] },
      {
        named: { dns: ['broker.example.org', 'localhost'] },
        names: ['DNS:broker.example.org', 'DNS:localhost'],
      },
      {
        named: { ip: ['192.0.2.10'] },
        names: ['DNS:server', 'DNS:localhost', 'IP Address:192.0.2.10'],
      },
    ])('a server named $named can be reached from its own machine', async ({ named, names }) => {
      await authority.issue({ name: 'server', role: 'server', ...named, ...DAYS, replace: true })

      const loopback = ['IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1']
      expect(namesIn(at('server')).split(', ')).toEqual([...names, ...loopback])
    })

    it('renews a server for the names and addresses that it had', async () => {
      const order = { name: 'renewed', role: 'server', ...DAYS } as const
      const named = { dns: ['broker.example.org'], ip: ['192.0.2.10', '2001:db8::1'] }
      const { names } = await authority.issue({ ...order, ...named })
      const before = namesIn(at('renewed'))

      const renewed = await authority.issue({ ...order, replace: true })

      expect(namesIn(at('renewed'))).toBe(before)
      expect(before).toMatch(/^DNS:broker.example.org, .*IP Address:192.0.2.10, /)
      expect(names).toEqual([...named.dns, 'localhost', ...named.ip, '127.0.0.1', '::1'])
      expect(renewed.names).toHaveLength(names.length)
    })

    it('renews a server for other names when these are given', async () => {
      const order = { name: 'moved', role: 'server', ...DAYS } as const
      await authority.issue({ ...order, dns: ['old.example.org'] })

      await authority.issue({ ...order, dns: ['new.example.org'], replace: true })

      expect(namesIn(at('moved'))).toMatch(/^DNS:new.example.org, DNS:localhost, IP/)
    })

    it('issues nothing that outlives the authority, and says so', async () => {
      const long = await authority.issue({ name: 'long', role: 'cluster', days: 3_650 })
      const short = await authority.issue({ name: 'short', role: 'cluster', days: 364 })

      const { validToDate } = new X509Certificate(readFileSync(at('ca.crt')))
      expect(long.record.expiresAt).toBe(validToDate.toISOString())
      expect([long.isCutShort, short.isCutShort]).toEqual([true, false])
    })

    it('issues nothing once the authority has expired', async () => {
      const years = openAuthority(dir, () => new Date(NOW.getTime() + 400 * 86_400_000))

      const late = years.issue({ name: 'late', role: 'cluster', ...DAYS })

      await expect(late).rejects.toThrow('The certificate authority has expired')
    })

    it('issues certificates that a broker cannot mistake for each other', async () => {
      const seen = await shakeHands(at('broker'), at('broker'))

      expect(seen.authorized).toBe(false)
    })

    it('never overwrites silently', async () => {
      const again = authority.issue({ name: 'rome', role: 'cluster', ...DAYS })
      const anew = initAuthority(dir, { name: 'other', keyType, days: 1, now: NOW })

      await expect(again).rejects.toThrow('already holds a certificate')
      await expect(anew).rejects.toThrow('already holds a certificate authority')
    })

    it('revokes by name, and a broker with the list refuses the handshake', async () => {
      await authority.issue({ name: 'oslo', role: 'cluster', ...DAYS })

      const { revoked, crlPath } = await authority.revoke('oslo')

      const crl = readFileSync(crlPath, 'utf8')
      expect(revoked.map(({ name }) => name)).toEqual(['oslo'])
      expect(await shakeHands(at('broker'), at('oslo'), crl)).toMatchObject({ authorized: false })
      expect(await shakeHands(at('broker'), at('rome'), crl)).toMatchObject({ authorized: true })
    })

    it('revokes one certificate by its serial and puts the list into later bundles', async () => {
      const { record } = await authority.issue({ name: 'bonn', role: 'cluster', ...DAYS })
      await authority.issue({ name: 'bonn', role: 'cluster', ...DAYS, replace: true })

      await authority.revoke(record.serial)
      await authority.issue({ name: 'kyiv', role: 'cluster', ...DAYS })

      const bonn = authority.list().filter(({ name }) => name === 'bonn')
      expect(bonn.map(({ revokedAt }) => revokedAt)).toEqual([NOW.toISOString(), undefined])
      expect(readFileSync(at('kyiv', 'crl.pem'), 'utf8')).toBe(readFileSync(at('crl.pem'), 'utf8'))
    })

    it('says so when nothing can be revoked', async () => {
      await expect(authority.revoke('atlantis')).rejects.toThrow('No certificate was issued')
    })
  },
)

function namesIn(dir: string): string {
  return new X509Certificate(readFileSync(join(dir, 'tls.crt'))).subjectAltName ?? ''
}

describe('what may be issued', () => {
  const authority = openAuthority('/nowhere', () => NOW)

  it.each([
    ['a slash', { name: 'rome/admin' }, 'is not a valid name'],
    ['capital letters', { name: 'Rome' }, 'is not a valid name'],
    ['300 characters', { name: 'a'.repeat(300) }, 'is not a valid name'],
    ['a broken host name', { name: 'broker', dns: ['a b'] }, '--dns a b is not a host name'],
    ['a broken address', { name: 'broker', ip: ['1.2.3'] }, '--ip 1.2.3 is not an IP address'],
    ['a directory without authority', { name: 'rome' }, 'There is no certificate authority in'],
  ])('refuses %s', async (_, order, message) => {
    await expect(authority.issue({ role: 'server', ...DAYS, ...order })).rejects.toThrow(message)
  })
})
