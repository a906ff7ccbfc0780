import { spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { asksOnlyFor, certificateRequest, peerSubject } from './certificate-request.ts'
import { bitString, context0, integer, oid, sequence, set, utf8 } from './der.ts'

const keys: readonly (readonly [string, KeyObject])[] = [
  ['Ed25519', generateKeyPairSync('ed25519').privateKey],
  ['RSA 2048', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
]

describe('a certificate request', () => {
  it.each(keys)('is signed by its own %s key and names the subject', (_, key) => {
    const text = certificateRequest(key, { commonName: 'rome', organization: 'liqo.io' })

    const asked = ['req', '-verify', '-noout', '-subject', '-nameopt', 'RFC2253']
    const { stdout, stderr } = spawnSync('openssl', asked, { input: text, encoding: 'utf8' })
    expect(stdout).toBe('subject=CN=rome,O=liqo.io\n')
    expect(stderr).toContain('OK')
  })

  it('refuses a key of a type that cannot be certified', () => {
    const { privateKey } = generateKeyPairSync('x25519')

    expect(() => certificateRequest(privateKey, { commonName: 'rome', organization: 'x' })).toThrow(
      'use Ed25519, RSA or P-256',
    )
  })
})

describe('what a peer wants certified', () => {
  const [, key] = keys[0] ?? []
  const text = (one = key) =>
    createPublicKey(one as KeyObject)
      .export({ type: 'spki', format: 'pem' })
      .toString()

  it.each(keys)('is its own name in the group of Liqo, with its %s key', (_, own) => {
    const request = certificateRequest(own, peerSubject('rome'))

    expect(asksOnlyFor(request, text(own), peerSubject('rome'))).toBe(true)
  })

  it('is refused where it names more, another or another key', () => {
    const own = key as KeyObject
    const [other] = keys.slice(1).map(([, one]) => one)
    const requests = [
      certificateRequest(own, peerSubject('kubernetes-admin')),
      certificateRequest(own, { commonName: 'rome', organization: 'system:masters' }),
      certificateRequest(other as KeyObject, peerSubject('rome')),
      namedBy(own, ['O', 'liqo.io'], ['O', 'kubeadm:cluster-admins'], ['CN', 'rome']),
      namedBy(own, ['O', 'liqo.io'], ['CN', 'rome'], ['O', 'kubeadm:cluster-admins']),
      namedBy(own, ['O', 'liqo.io'], ['CN', 'rome'], ['CN', 'kubernetes-admin']),
      'no request at all',
      '',
    ]

    expect(requests.map((one) => asksOnlyFor(one, text(), peerSubject('rome')))).toEqual(
      requests.map(() => false),
    )
  })
})

function namedBy(key: KeyObject, ...parts: readonly (readonly ['O' | 'CN', string])[]): string {
  const types = { O: '2.5.4.10', CN: '2.5.4.3' }
  const name = parts.map(([type, value]) => set(sequence(oid(types[type]), utf8(value))))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const wanted = sequence(integer(0), sequence(...name), publicKey, context0())
  const signature = bitString(sign(null, wanted, key))
  const der = sequence(wanted, sequence(oid('1.3.101.112')), signature)
  const label = 'CERTIFICATE REQUEST'
  return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`
}
