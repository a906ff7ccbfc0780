import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { loadConnection } from '../connection/load-connection.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'
import { createReflector } from './reflector.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data?: Record<string, string> }

const FLOOD = 10_000
const AT_ONCE = 32
const TEXT = 'x'.repeat(2_048)
/** A key, an entry of the map with version and uid, and the number that is kept. */
const KEPT_BYTES_MAX = 600

const controlPlane = useControlPlane()
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
})
afterAll(() => client.close())

function aConfigMap(name: string, namespace = 'default'): ConfigMap {
  const metadata = { name, namespace }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: TEXT } }
}

function aNamespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
}

function reflectIn(namespace: string, by = client) {
  const reflector = createReflector<number, ConfigMap>({
    client: by,
    kind: CONFIG_MAP,
    namespace,
    decode: ({ data }) => data?.text?.length ?? 0,
  })
  onTestFinished(() => reflector.stop())
  return reflector
}

it('follows a server that is killed and comes back, with what happened meanwhile', async () => {
  const { apiServer, etcd } = controlPlane()
  const reflector = reflectIn('default')
  await client.create(CONFIG_MAP, aConfigMap('stays'))
  await client.create(CONFIG_MAP, aConfigMap('goes'))
  await expect.poll(() => reflector.size()).toBe(2)

  await apiServer.kill()
  await etcd.kill()
  await etcd.start()
  await apiServer.start()
  await client.delete(CONFIG_MAP, { name: 'goes', namespace: 'default' })
  await client.create(CONFIG_MAP, aConfigMap('comes'))

  const names = () => [...reflector.keys()].sort()
  await expect.poll(names, { timeout: 60_000 }).toEqual(['default/comes', 'default/stays'])
})

it('gets a 410 for a version that the server has forgotten', async () => {
  const { apiServer } = controlPlane()
  await client.create(CONFIG_MAP, aConfigMap('makes-a-version'))
  await apiServer.kill()
  await apiServer.start()

  const watch = client.watch(CONFIG_MAP, { resourceVersion: '1' })
  const next = watch[Symbol.asyncIterator]().next()

  await expect(next).rejects.toMatchObject({ status: 410, reason: 'Expired' })
})

it('lists again when the server has forgotten its version while it was cut off', async () => {
  const line = aLine()
  const reflector = reflectIn('far', line.client)
  await client.create(NAMESPACE, aNamespace('far'))
  await client.create(CONFIG_MAP, aConfigMap('goes', 'far'))
  await expect.poll(() => reflector.size()).toBe(1)

  line.cut()
  await client.delete(CONFIG_MAP, { name: 'goes', namespace: 'far' })
  await client.create(CONFIG_MAP, aConfigMap('comes', 'far'))
  await controlPlane().apiServer.kill()
  await controlPlane().apiServer.start()
  line.mend()

  await expect.poll(() => [...reflector.keys()], { timeout: 60_000 }).toEqual(['far/comes'])
  expect(line.refusals).toContainEqual(expect.objectContaining({ status: 410 }))
})

/** Watches can be cut, and stay so until they are mended. */
function aLine() {
  const refusals: unknown[] = []
  let cutting = new AbortController()
  const watch: KubeClient['watch'] = async function* (kind, options = {}) {
    const { signal = cutting.signal } = options
    const both = AbortSignal.any([signal, cutting.signal])
    try {
      yield* client.watch(kind, { ...options, signal: both })
    } catch (thrown) {
      refusals.push(thrown)
      throw thrown
    }
    if (!signal.aborted) both.throwIfAborted()
  }
  return {
    client: { ...client, watch },
    refusals,
    cut: () => cutting.abort(new Error('The line is cut.')),
    mend: () => {
      cutting = new AbortController()
    },
  }
}

it('gets everything by the watch alone, if the server supports it', async () => {
  await client.create(CONFIG_MAP, aConfigMap('streamed'))
  const cannotList = {
    ...client,
    pages() {
      throw new Error('There is nothing to list.')
    },
  }

  const reflector = createReflector<number, ConfigMap>({
    client: cannotList,
    kind: CONFIG_MAP,
    namespace: 'default',
    isStreamed: true,
    decode: ({ data }) => data?.text?.length ?? 0,
  })
  onTestFinished(() => reflector.stop())
  await reflector.synced

  expect(reflector.get('default/streamed')).toBe(TEXT.length)
  await client.create(CONFIG_MAP, aConfigMap('follows'))
  await expect.poll(() => reflector.get('default/follows')).toBe(TEXT.length)
})

it(`keeps of ${FLOOD} objects no more than was decoded, however large they are`, async () => {
  await client.create(NAMESPACE, aNamespace('flood'))
  const names = Array.from({ length: FLOOD }, (_, at) => `flood-${at}`)
  await inTurns(names, (name) => client.create(CONFIG_MAP, aConfigMap(name, 'flood')))
  const before = heapAfterCollection()
  const cpuBefore = process.cpuUsage()

  const reflector = reflectIn('flood')
  await reflector.synced

  const { user, system } = process.cpuUsage(cpuBefore)
  const bytesEach = (heapAfterCollection() - before) / FLOOD
  console.info(
    `kept ${bytesEach.toFixed(0)} bytes an object of ${TEXT.length}; ` +
      `the list of ${FLOOD} took ${((user + system) / 1_000).toFixed(0)} ms of CPU`,
  )
  expect(reflector.size()).toBe(FLOOD)
  expect(bytesEach).toBeLessThan(KEPT_BYTES_MAX)

  const changed = new Set<string>()
  reflector.subscribe({ changed: (_, __, key) => changed.add(key) })
  const labels = { metadata: { labels: { seen: 'yes' } } }
  await inTurns(names, (name) =>
    client.mergePatch(CONFIG_MAP, { name, namespace: 'flood' }, labels),
  )
  await expect.poll(() => changed.size, { timeout: 120_000 }).toBe(FLOOD)
  expect((heapAfterCollection() - before) / FLOOD).toBeLessThan(KEPT_BYTES_MAX + 150)
})

const NAMESPACE: Kind = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = all.values()
  const worker = async () => {
    for (const one of rest) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
