import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { initAuthority, openAuthority } from './authority.ts'

it.each(['ec', 'rsa'] as const)(
  'certificates with %s keys are understood by openssl',
  async (keyType) => {
    const now = new Date()
    const dir = mkdtempSync(join(tmpdir(), 'bourse-ca-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const pki = join(dir, 'pki')
    await initAuthority(pki, { name: 'test federation', keyType, days: 365, now })
    const authority = openAuthority(pki, () => now)
    await authority.issue({ name: 'broker', role: 'server', days: 30 })
    await authority.issue({ name: 'rome', role: 'cluster', days: 30 })

    const verify = (purpose: string, name: string) =>
      execFileSync('openssl', [
        ...['verify', '-x509_strict', '-purpose', purpose],
        ...['-CAfile', join(pki, 'ca.crt'), join(pki, name, 'tls.crt')],
      ]).toString()

    expect(verify('sslserver', 'broker')).toContain('OK')
    expect(verify('sslclient', 'rome')).toContain('OK')
  },
)
