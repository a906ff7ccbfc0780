import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createKubeClient,
  createReflector,
  type Kind,
  type KubeClient,
  type KubeObject,
  loadConnection,
  type Reflector,
} from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { type ControlPlane, startControlPlane } from '@bourse/testkit/control-plane'

/**
 * Does a reflector stay flat? Objects come, change and go for half an hour, the API server is
 * killed in between; each minute the reflector must agree with a fresh list, and its heap, after
 * a collection, must end where it began: `node test/soak/reflector.ts [minutes]`.
 */

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data?: Record<string, string> }

const MINUTES = Number(process.argv[2] ?? 30)
const OBJECTS = 1_000
const CHURN_MS = 40_000
const CHANGES_PER_SECOND = 50
const KILL_EVERY_ROUNDS = 3
const AGREE_WITHIN_MS = 60_000
/** The noise of a heap after collection, beside a tenth of itself. */
const SLACK_BYTES = 2_000_000

const controlPlane = await startControlPlane()
const client = createKubeClient(await loadConnection({ kubeconfig: controlPlane.adminKubeconfig }))
let troubles = 0
const reflector = createReflector<string, ConfigMap>({
  client,
  kind: CONFIG_MAP,
  namespace: 'default',
  decode: ({ metadata }) => metadata.resourceVersion,
  onTrouble: () => {
    troubles++
  },
})
try {
  process.exitCode = isFlat(await soak()) ? 0 : 1
} finally {
  await reflector.stop()
  await client.close()
  await controlPlane.stop()
}

async function soak(): Promise<number[]> {
  await reflector.synced
  const heaps: number[] = []
  for (let round = 1; round <= MINUTES; round++) {
    const roundEnds = sleep(60_000)
    const hasKill = round % KILL_EVERY_ROUNDS === 0
    const changes = await churn(client)
    if (hasKill) await killAndStart(controlPlane)
    await agreement(client, reflector)
    await roundEnds
    heaps.push(heapAfterCollection())
    const heapMb = ((heaps.at(-1) ?? 0) / 1e6).toFixed(2)
    console.log(
      `minute ${round}: ${changes} changes${hasKill ? ', server killed' : ''}, ` +
        `${reflector.size()} kept, heap ${heapMb} MB, ${troubles} troubles so far`,
    )
  }
  return heaps
}

/** Each object in turn is made, changed or removed. */
async function churn({ apply, delete: remove }: KubeClient): Promise<number> {
  const endsAt = performance.now() + CHURN_MS
  let changes = 0
  for (; performance.now() < endsAt; changes++) {
    const ref = { name: `soak-${(changes * 7_919) % OBJECTS}`, namespace: 'default' }
    const isRemoval = changes % 10 === 9 && reflector.get(`default/${ref.name}`) !== undefined
    const data = { text: String(performance.now()).padEnd(2_048, 'x') }
    if (isRemoval) await remove(CONFIG_MAP, ref)
    else await apply(CONFIG_MAP, { metadata: ref, data }, { fieldManager: 'soak', force: true })
    await sleep(1_000 / CHANGES_PER_SECOND)
  }
  return changes
}

async function killAndStart({ apiServer }: ControlPlane): Promise<void> {
  await apiServer.kill()
  await sleep(2_000)
  await apiServer.start()
}

async function agreement({ list }: KubeClient, { get, size }: Reflector<string>): Promise<void> {
  const isSame = async () => {
    const { items } = await list<ConfigMap>(CONFIG_MAP, { namespace: 'default' })
    const agrees = ({ metadata }: ConfigMap) =>
      get(`default/${metadata.name}`) === metadata.resourceVersion
    return (items.length === size() && items.every(agrees)) || undefined
  }
  await eventually('the reflector agrees with the server', isSame, AGREE_WITHIN_MS)
}

function isFlat(heaps: readonly number[]): boolean {
  // The first minute fills caches and compiles.
  const steady = heaps.slice(1)
  const third = Math.max(1, Math.floor(steady.length / 3))
  const [first, last] = [median(steady.slice(0, third)), median(steady.slice(-third))]
  const flat = last <= first * 1.1 + SLACK_BYTES
  const [from, to] = [first, last].map((bytes) => (bytes / 1e6).toFixed(2))
  console.log(
    `heap: ${from} MB in the first third, ${to} MB in the last: ${flat ? '' : 'not '}flat`,
  )
  return flat
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
