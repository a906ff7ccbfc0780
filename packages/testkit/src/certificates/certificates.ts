import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyPairPem, type Leaf, makeLeaf, makeRevocationList, makeRoot } from '@bourse/pki'

export type TestCertificates = {
  /** A directory with tls.crt, tls.key and ca.crt; made anew each time, as a renewal does. */
  forServer(name?: string): Promise<string>
  /** Made on first use; later calls return the same one. */
  forCluster(clusterId: string): Promise<string>
  forOperator(name?: string): Promise<string>
  /** For a scripted API server and its callers. */
  forApiServer(): Promise<string>
  /** Any other leaf: expired, with a strange name, or for another use. */
  forLeaf(folder: string, leaf: Leaf, days?: number): Promise<string>
  /** Writes crl.pem into a directory: it revokes the certificates with these names. */
  revoke(names: readonly string[], into: string): Promise<void>
  dispose(): void
}

/** A throw-away authority with P-256 keys: a certificate takes a few milliseconds. */
export async function makeTestCertificates(): Promise<TestCertificates> {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-certificates-'))
  const from = new Date()
  const root = await makeRoot('test federation', 'ec', { from, days: 30 })
  const serials = new Map<string, string>()
  const made = new Map<string, Promise<string>>()

  async function forLeaf(folder: string, leaf: Leaf, days = 30): Promise<string> {
    const validity = {
      from: days < 0 ? new Date(from.getTime() + 2 * days * DAY_MS) : from,
      days: Math.abs(days),
    }
    const pair = await makeLeaf(root, leaf, { keyType: 'ec', validity })
    serials.set(folder, pair.serial)
    return write(join(dir, folder), pair)
  }
  function once(folder: string, leaf: Leaf): Promise<string> {
    const known = made.get(folder) ?? forLeaf(folder, leaf)
    made.set(folder, known)
    return known
  }
  async function revoke(names: readonly string[], into: string): Promise<void> {
    const at = new Date()
    const revoked = names.map((name) => ({ serial: serials.get(name) ?? '', at }))
    writeFileSync(join(into, 'crl.pem'), await makeRevocationList(root, revoked, at))
  }
  function write(folder: string, pair: KeyPairPem): string {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'ca.crt'), root.certificate)
    writeFileSync(join(folder, 'tls.key'), pair.key, { mode: 0o600 })
    writeFileSync(join(folder, 'tls.crt'), pair.certificate)
    return folder
  }

  return {
    forServer: (name = 'broker') =>
      forLeaf(name, {
        commonName: name,
        usages: ['server'],
        dns: [name, 'localhost'],
        ip: ['127.0.0.1', '::1'],
      }),
    forCluster: (clusterId) => once(clusterId, { commonName: clusterId, usages: ['client'] }),
    forOperator: (name = 'operator') =>
      once(name, { commonName: name, usages: ['client'], organization: 'bourse:admin' }),
    forApiServer: () =>
      once('api-server', {
        commonName: 'api-server',
        usages: ['server', 'client'],
        ip: ['127.0.0.1'],
      }),
    forLeaf,
    revoke,
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  }
}

const DAY_MS = 86_400_000
