import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Certificates as people make them by hand: openssl, RSA 4096, a few extensions. */
export function makeOpensslCertificates() {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-openssl-'))
  const openssl = (...argv: string[]) => execFileSync('openssl', argv, { cwd: dir, stdio: 'pipe' })
  const newKey = ['-newkey', 'rsa:4096', '-nodes', '-sha256', '-days', '30']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=hand-made',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  )

  function issue(name: string, subject: string, extensions: string): string {
    const out = join(dir, name)
    mkdirSync(out)
    writeFileSync(join(out, 'extensions'), extensions)
    const inside = (file: string) => join(name, file)
    const request = ['-newkey', 'rsa:4096', '-nodes', '-subj', subject]
    openssl('req', ...request, '-keyout', inside('tls.key'), '-out', inside('tls.csr'))
    openssl(
      ...['x509', '-req', '-in', inside('tls.csr'), '-CA', 'ca.crt', '-CAkey', 'ca.key'],
      ...['-CAcreateserial', '-days', '30', '-sha256', '-extfile', inside('extensions')],
      ...['-out', inside('tls.crt')],
    )
    copyFileSync(join(dir, 'ca.crt'), join(out, 'ca.crt'))
    return out
  }
  const forClient = (name: string, subject = `/CN=${name}`) =>
    issue(name, subject, 'extendedKeyUsage=clientAuth\n')

  const forServer = (name: string) =>
    issue(name, `/CN=${name}`, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')

  return {
    forServer: async (name = 'broker') => forServer(name),
    forApiServer: async () => forServer('api-server'),
    forCluster: async (clusterId: string) => forClient(clusterId),
    forOperator: async (name = 'operator') => forClient(name, `/O=bourse:admin/CN=${name}`),
    forLeaf: async (folder: string, { commonName }: Readonly<{ commonName: string }>) =>
      forClient(folder, `/CN=${commonName}`),
    revoke: () => Promise.reject(new Error('These are never revoked.')),
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  }
}
