import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeyPairPem, type Leaf, makeLeaf, makeRoot } from '@bourse/pki'

export type TestCertificates = {
  /** A directory with tls.crt, tls.key and ca.crt, made on first use. */
  forServer(name?: string): Promise<string>
  forCluster(clusterId: string): Promise<string>
  forOperator(name?: string): Promise<string>
  /** Any other leaf: expired, of a strange name, for the wrong use. */
  forLeaf(folder: string, leaf: Leaf, days?: number): Promise<string>
  dispose(): void
}

/** A throw-away authority with P-256 keys: a certificate takes a few milliseconds. */
export async function makeTestCertificates(): Promise<TestCertificates> {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-certificates-'))
  const from = new Date()
  const root = await makeRoot('test federation', 'ec', { from, days: 30 })

  async function forLeaf(folder: string, leaf: Leaf, days = 30): Promise<string> {
    const validity = {
      from: days < 0 ? new Date(from.getTime() + 2 * days * DAY_MS) : from,
      days: Math.abs(days),
    }
    return write(join(dir, folder), await makeLeaf(root, leaf, { keyType: 'ec', validity }))
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
    forCluster: (clusterId) => forLeaf(clusterId, { commonName: clusterId, usages: ['client'] }),
    forOperator: (name = 'operator') =>
      forLeaf(name, { commonName: name, usages: ['client'], organization: 'bourse:admin' }),
    forLeaf,
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  }
}

const DAY_MS = 86_400_000
