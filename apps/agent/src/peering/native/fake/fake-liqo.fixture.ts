import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_MAP, SECRET } from '../../../kubernetes/kinds.ts'
import { NETWORK } from '../liqo/liqo-kinds.ts'
import { KEYS_NAME, type Secret } from '../liqo/secrets.ts'
import { authenticate } from './fake-authentication.fixture.ts'
import { connect, networksOf } from './fake-networking.fixture.ts'
import { offload } from './fake-offloading.fixture.ts'
import type { MemoryCluster } from './memory-cluster.fixture.ts'

export type FakeLiqo = Readonly<{ liqoId: string; cluster: MemoryCluster; key: KeyObject }>

/** What the Liqos of a test share: who is where, and the certificates that they hand out. */
export type FakeWorld = Readonly<{
  liqos: Map<string, FakeLiqo>
  /** By public key: each has a certificate from the start, so that no request must be signed. */
  certificates: Map<string, Pair>
  /** Clusters whose API server is not reached from others. */
  unreachable: Set<string>
}>

/** A directory with tls.crt, tls.key and ca.crt for this name. */
export type Issue = (name: string) => Promise<string>
type Pair = Readonly<{ key: string; certificate: string; ca: string }>

/** Liqo's controllers in several clusters: after every change each plays its part. */
export function createFakeLiqos(issue: Issue) {
  const world: FakeWorld = { liqos: new Map(), certificates: new Map(), unreachable: new Set() }
  let isStopped = false
  let isWanted = false
  let playing: Promise<void> | undefined

  async function play(): Promise<void> {
    while (isWanted && !isStopped) {
      isWanted = false
      for (const liqo of world.liqos.values()) {
        await authenticate(liqo, world)
        await offload(liqo, world)
        await connect(liqo, world)
      }
    }
    playing = undefined
  }

  return {
    world,
    async install(cluster: MemoryCluster, liqoId: string): Promise<void> {
      const pair = await readPair(await issue(liqoId))
      const publicKey = publicKeyIn(pair)
      world.certificates.set(publicKey, pair)
      world.liqos.set(liqoId, { liqoId, cluster, key: createPrivateKey(pair.key) })
      await cluster.client.create(SECRET, keysOf(pair, publicKey))
      await cluster.client.create(CONFIG_MAP, namedBy(liqoId))
      for (const network of networksOf(liqoId)) await cluster.client.create(NETWORK, network)
      cluster.subscribe(() => {
        isWanted = true
        playing ??= play()
      })
    },
    /** The time of its certificates has come: others hand out new ones for the same key. */
    async renew(liqoId: string): Promise<void> {
      for (const [publicKey, pair] of world.certificates) {
        const { key } = world.liqos.get(liqoId) ?? {}
        if (!key || !createPublicKey(key).equals(createPublicKey(publicKey))) continue
        // Another text of the same certificate will do.
        world.certificates.set(publicKey, { ...pair, certificate: `${pair.certificate}\n` })
      }
      isWanted = true
      playing ??= play()
      await playing
    },
    async stop(): Promise<void> {
      isStopped = true
      await playing
    },
  }
}

async function readPair(dir: string): Promise<Pair> {
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  const [key, certificate, ca] = await Promise.all(['tls.key', 'tls.crt', 'ca.crt'].map(read))
  return { key: key ?? '', certificate: certificate ?? '', ca: ca ?? '' }
}

function publicKeyIn({ certificate }: Pair): string {
  const key = createPublicKey(new X509Certificate(certificate).publicKey.export(PEM))
  return String(key.export(PEM))
}
const PEM = { type: 'spki', format: 'pem' } as const

function keysOf({ key }: Pair, publicKey: string): Secret {
  const bytes = (text: string) => Buffer.from(text).toString('base64')
  const metadata = { name: KEYS_NAME, namespace: 'liqo' }
  const data = { privateKey: bytes(key), publicKey: bytes(publicKey) }
  return { apiVersion: 'v1', kind: 'Secret', metadata, data }
}

function namedBy(liqoId: string) {
  const labels = { 'app.kubernetes.io/version': 'v1.2.0' }
  const metadata = { name: 'liqo-clusterid-configmap', namespace: 'liqo', labels }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { CLUSTER_ID: liqoId } }
}
