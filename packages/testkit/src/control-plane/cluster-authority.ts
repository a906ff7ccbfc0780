import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeyPairPem, type Leaf, makeLeaf, makeRoot } from '@bourse/pki'

export type Identity = Readonly<{ user: string; groups?: readonly string[] }>

type PairFiles = Readonly<{ certificate: string; key: string }>

/** The certificates of one control plane, as files, and as text for kubeconfigs. */
export type ClusterAuthority = Readonly<{
  certificate: string
  caFile: string
  caKeyFile: string
  server: PairFiles
  /** What the API server shows to etcd. */
  etcdClient: PairFiles
  /** Signs the tokens of service accounts. */
  serviceAccountKeyFile: string
  clientOf(identity: Identity): Promise<KeyPairPem>
}>

const DAYS = 30

/** One authority for servers, etcd's only client, and every kubeconfig. */
export async function createClusterAuthority(dir: string): Promise<ClusterAuthority> {
  mkdirSync(dir, { recursive: true })
  const validity = { from: new Date(), days: DAYS }
  const root = await makeRoot('control plane', 'ec', validity)
  const leaf = (one: Leaf) => makeLeaf(root, one, { keyType: 'ec', validity })
  const clientOf = ({ user, groups = [] }: Identity) =>
    leaf({ commonName: user, organization: groups, usages: ['client'] })

  const caFile = join(dir, 'ca.crt')
  writeFileSync(caFile, root.certificate)
  const caKeyFile = join(dir, 'ca.key')
  writeFileSync(caKeyFile, root.key, { mode: 0o600 })
  const serviceAccountKeyFile = join(dir, 'service-accounts.key')
  writeFileSync(serviceAccountKeyFile, newSigningKey(), { mode: 0o600 })
  const server = await leaf({
    commonName: 'kube-apiserver',
    // etcd's own gateway calls its server with the same certificate.
    usages: ['server', 'client'],
    dns: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ip: ['127.0.0.1', '::1'],
  })
  return {
    certificate: root.certificate,
    caFile,
    caKeyFile,
    server: writePair(dir, 'server', server),
    etcdClient: writePair(dir, 'etcd-client', await clientOf({ user: 'kube-apiserver' })),
    serviceAccountKeyFile,
    clientOf,
  }
}

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString()
}

function writePair(dir: string, name: string, pair: KeyPairPem): PairFiles {
  const files = { certificate: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) }
  writeFileSync(files.certificate, pair.certificate)
  writeFileSync(files.key, pair.key, { mode: 0o600 })
  return files
}
