import type { Offload } from '@bourse/contract/kinds'
import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { grantAgentRights, looseKind } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BorrowedReservation } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import { type NamespaceOffloading, needsIn, OFFLOADING_NAME } from '../liqo/namespace-offloading.ts'
import { createOffloading } from './offloading.ts'

const controlPlane = useControlPlane()
const IDS = Array.from({ length: 10 }, (_, nth) => `rsv-${nth}`)

function borrowed(id: string): BorrowedReservation {
  const offload: Offload = { namespaces: ['shop'], strategy: 'Remote' }
  return { id, provider: 'paris', resources: { cpu: '1' }, offload }
}

/** With the rights of the chart, on an API server that refuses a write on what is no longer so. */
describe('offloading for many reservations at once', () => {
  let client: KubeClient
  let offloading: ReturnType<typeof createOffloading>

  beforeAll(async () => {
    const { kubectl } = controlPlane()
    const kind = JSON.stringify(looseKind(LIQO.namespaceOffloading))
    await kubectl(['apply', '--filename=-'], kind)
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
    await kubectl(['create', 'namespace', 'shop'])
    const kubeconfig = await grantAgentRights(controlPlane())
    client = createKubeClient(await loadConnection({ kubeconfig }))
    offloading = createOffloading({
      client,
      objects: {
        // A watch that tells nothing: what counts is what the API server says, and all stand.
        namespaceOffloading: () => undefined,
        nodes: () => [],
        slice: () => ({}) as ReturnType<LiqoObjects['slice']>,
      },
    })
  })
  afterAll(() => client.close())

  /** As the work queue does: a fault is tried again. */
  const each = (what: string, perform: (id: string) => Promise<unknown>) =>
    Promise.all(
      IDS.map((id) => eventually(`${what} ${id}`, () => perform(id).then(isDone, notYet), 30_000)),
    )
  const shop = async () => {
    const { items } = await client.list<NamespaceOffloading>(LIQO.namespaceOffloading, {
      namespace: 'shop',
    })
    return items
  }

  it('notes each of them, and forgets none', async () => {
    await each('offloads for', (id) => offloading.offload(borrowed(id), { liqoId: 'paris' }))

    const [object] = await shop()
    expect(object?.metadata.name).toBe(OFFLOADING_NAME)
    expect(Object.keys(object ? needsIn(object) : {})).toEqual(IDS)
  })

  it('is there until the last of them has ended', async () => {
    await each('ends', (id) => (id === 'rsv-0' ? Promise.resolve() : offloading.unoffload(id)))

    const [object] = await shop()
    expect(object && needsIn(object)).toEqual({
      'rsv-0': { cluster: 'paris', strategy: 'Remote' },
    })
    await offloading.unoffload('rsv-0')
    expect(await shop()).toEqual([])
  })
})

const isDone = () => true
const notYet = () => undefined
