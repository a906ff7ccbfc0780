import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { certificateRequest } from './certificate-request.ts'

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

  it('refuses a key that nobody would certify', () => {
    const { privateKey } = generateKeyPairSync('x25519')

    expect(() => certificateRequest(privateKey, { commonName: 'rome', organization: 'x' })).toThrow(
      'use Ed25519, RSA or P-256',
    )
  })
})
