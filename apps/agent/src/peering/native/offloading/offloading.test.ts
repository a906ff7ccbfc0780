import type { Offload } from '@bourse/contract/kinds'
import type { KubeObject } from '@bourse/kube'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createMemoryCluster,
  type MemoryCluster,
} from '../../../../fixtures/peering/native/fake/memory-cluster.ts'
import { NAMESPACE, POD } from '../../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../../port/peering.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import {
  clustersIn,
  type NamespaceOffloading,
  needsIn,
  OFFLOADING_NAME,
} from '../liqo/namespace-offloading.ts'
import { type Node, sliceName } from '../liqo/resource-slice.ts'
import { createOffloading } from './offloading.ts'

const paris = { liqoId: 'paris-liqo' }
const lyon = { liqoId: 'lyon-liqo' }

function borrowed(id: string, provider = 'paris'): BorrowedReservation {
  const offload: Offload = { namespaces: ['shop'], strategy: 'LocalAndRemote' }
  return { id, provider, resources: { cpu: '1' }, offload }
}

describe('offloading', () => {
  let rome: MemoryCluster
  let standing: Set<string>
  let offloading: ReturnType<typeof createOffloading>

  const nodes = (): Node[] =>
    [...standing].map((id) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: sliceName(id),
        labels: { [LABEL.remote]: id.includes('lyon') ? 'lyon-liqo' : 'paris-liqo' },
      },
    }))
  const shop = () => rome.find<NamespaceOffloading>(LIQO.namespaceOffloading, OFFLOADING_NAME)
  const namespace = (name: string, labels: Record<string, string> = {}) =>
    rome.client.create(NAMESPACE, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    })
  const runPod = (name: string, reservation: string) =>
    rome.client.create<KubeObject>(POD, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop' },
      spec: { nodeName: sliceName(reservation) },
    })

  beforeEach(async () => {
    rome = createMemoryCluster()
    standing = new Set(['rsv-1', 'rsv-2', 'rsv-lyon'])
    offloading = createOffloading({
      client: rome.client,
      objects: {
        namespaceOffloading: () => undefined,
        nodes,
        // Only whether it exists is checked.
        slice: (name) => (standing.has(name.slice(4)) ? ({} as never) : undefined),
      },
    })
    await namespace('shop')
  })

  it('does nothing for a reservation that names no namespace', async () => {
    const { offload: _, ...plain } = borrowed('rsv-1')

    expect(await offloading.offload(plain, paris)).toEqual({ steps: [], isDone: true })
    expect(shop()).toBeUndefined()
  })

  it('is one object for all reservations that name the namespace', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    await offloading.offload(borrowed('rsv-2'), paris)
    await offloading.offload(borrowed('rsv-lyon', 'lyon'), lyon)

    expect(Object.keys(needsIn(shop() as NamespaceOffloading))).toEqual([
      ...['rsv-1', 'rsv-2', 'rsv-lyon'],
    ])
    expect(clustersIn(shop() as NamespaceOffloading)).toEqual(['lyon-liqo', 'paris-liqo'])
  })

  it('writes nothing when it is repeated', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    const before = shop()?.metadata.resourceVersion

    await offloading.offload(borrowed('rsv-1'), paris)

    expect(shop()?.metadata.resourceVersion).toBe(before)
  })

  it('waits for a namespace that does not exist, and looks again', async () => {
    const offload: Offload = { namespaces: ['bank'], strategy: 'Remote' }

    const { steps, againAfterMs } = await offloading.offload(
      { ...borrowed('rsv-1'), offload },
      paris,
    )

    expect(steps).toMatchObject([{ status: 'False', reason: 'NamespaceNotFound' }])
    expect(againAfterMs).toBe(10_000)
  })

  it('finds namespaces by their labels', async () => {
    await namespace('blue-1', { team: 'blue' })
    await namespace('blue-2', { team: 'blue' })
    await namespace('red', { team: 'red' })
    const offload = { selector: { matchLabels: { team: 'blue' } }, strategy: 'Remote' } as const

    await offloading.offload({ ...borrowed('rsv-1'), offload }, paris)

    const made = rome.all<NamespaceOffloading>(LIQO.namespaceOffloading)
    expect(made.map(({ metadata }) => metadata.namespace)).toEqual(['blue-1', 'blue-2'])
    expect(offloading.concernedBy('blue-2')).toEqual(['rsv-1'])
    expect(offloading.concernedBy('red')).toEqual([])
  })

  it('never touches one that was made by hand', async () => {
    const spec = { podOffloadingStrategy: 'LocalAndRemote' }
    const metadata = { name: OFFLOADING_NAME, namespace: 'shop' }
    const byHand = { apiVersion: 'offloading.liqo.io/v1beta1', kind: 'NamespaceOffloading' }
    const made = await rome.client.create<KubeObject>(LIQO.namespaceOffloading, {
      ...byHand,
      metadata,
      spec,
    })

    const { steps } = await offloading.offload(borrowed('rsv-1'), paris)
    await offloading.unoffload('rsv-1')

    expect(steps).toMatchObject([{ status: 'False', reason: 'MadeByHand' }])
    expect(shop()).toEqual(made)
  })

  it('selects less when a reservation ends that was the last at its provider', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    await offloading.offload(borrowed('rsv-lyon', 'lyon'), lyon)

    await offloading.unoffload('rsv-1')

    expect(clustersIn(shop() as NamespaceOffloading)).toEqual(['lyon-liqo'])
  })

  it('is deleted with the last reservation, and not before', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    await offloading.offload(borrowed('rsv-2'), paris)

    await offloading.unoffload('rsv-1')
    standing.delete('rsv-1')

    expect(Object.keys(needsIn(shop() as NamespaceOffloading))).toEqual(['rsv-2'])
    await offloading.unoffload('rsv-2')
    await offloading.unoffload('rsv-2')
    expect(shop()).toBeUndefined()
  })

  it('stays for pods on the node of a reservation that does not name it, and goes with that', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    await runPod('web-1', 'rsv-1')
    await runPod('web-2', 'rsv-2')

    await offloading.unoffload('rsv-1')
    standing.delete('rsv-1')

    expect(clustersIn(shop() as NamespaceOffloading)).toEqual(['paris-liqo'])
    await offloading.unoffload('rsv-2')
    expect(shop()).toBeUndefined()
  })

  it('takes along with a peering what a reservation that never ended has noted', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    await offloading.offload(borrowed('rsv-lyon', 'lyon'), lyon)
    standing.delete('rsv-1')

    await offloading.sweep('paris-liqo')

    expect(clustersIn(shop() as NamespaceOffloading)).toEqual(['lyon-liqo'])
    expect(Object.keys(needsIn(shop() as NamespaceOffloading))).toEqual(['rsv-lyon'])
    standing.delete('rsv-lyon')
    await offloading.sweep('lyon-liqo')
    expect(shop()).toBeUndefined()
  })

  it('leaves a namespace where its pods still run on a node made by hand', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    standing.delete('rsv-1')
    await runPod('web', 'rsv-2')

    await offloading.sweep('paris-liqo')

    expect(clustersIn(shop() as NamespaceOffloading)).toEqual(['paris-liqo'])
    expect(needsIn(shop() as NamespaceOffloading)).toEqual({})
  })

  it('tells since when Liqo has been taking a namespace away', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)
    const finalizers = ['namespaceoffloading-controller.liqo.io/finalizer']
    const ref = { name: OFFLOADING_NAME, namespace: 'shop' }
    await rome.client.mergePatch(LIQO.namespaceOffloading, ref, { metadata: { finalizers } })

    const leaving = await offloading.sweep('paris-liqo')

    expect(leaving).toEqual([shop()?.metadata.deletionTimestamp])
  })

  it('a namespace that no reservation waits for any more concerns none', async () => {
    await offloading.offload(borrowed('rsv-1'), paris)

    await offloading.unoffload('rsv-1')

    expect(offloading.concernedBy('shop')).toEqual([])
  })
})
