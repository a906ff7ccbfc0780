import { type KubeClient, KubeError, type KubeObject } from '@bourse/kube'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { createMemoryCluster } from '../../../../fixtures/peering/native/fake/memory-cluster.ts'
import { NODE, POD } from '../../../kubernetes/kinds.ts'
import type { Node } from '../liqo/resource-slice.ts'
import { createDrain } from './drain.ts'

const TIMEOUT_MS = 60_000

const aPod = (name: string, owner = 'ReplicaSet', phase = 'Running'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  spec: { nodeName: 'res-1' },
  status: { phase },
  metadata: {
    name,
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'x', uid: 'x' }],
  },
})

async function aNode(...pods: readonly KubeObject[]) {
  const cluster = createMemoryCluster()
  const { client } = cluster
  const metadata = { name: 'res-1', labels: {} }
  await client.create<Node>(NODE, { apiVersion: 'v1', kind: 'Node', metadata })
  for (const pod of pods) await client.create(POD, pod)
  const clock = steppedClock()
  const node = () => cluster.find<Node>(NODE, 'res-1') as Node
  const draining = (port: KubeClient = client) =>
    createDrain({ client: port, clock, drainTimeoutMs: TIMEOUT_MS })(node())
  const names = () => cluster.all(POD).map((pod) => pod.metadata.name)
  return { client, node, names, draining, clock }
}

/** As the API server answers while a disruption budget does not allow it. */
function guarded(client: KubeClient): KubeClient {
  return refusing(client, 429, 'TooManyRequests')
}

function refusing(client: KubeClient, status: number, reason: string): KubeClient {
  const refuse = async () => {
    throw new KubeError('not now', { status, reason })
  }
  return { ...client, raw: refuse }
}

describe('a node that goes', () => {
  it('takes no new pods, and sends away what it has', async () => {
    const { node, names, draining } = await aNode(aPod('web-1'), aPod('web-2'))

    const isEmpty = [await draining(), await draining()]

    expect(isEmpty).toEqual([false, true])
    expect(node().spec?.unschedulable).toBe(true)
    expect(names()).toEqual([])
  })

  it('does not wait for pods that come again or hold nothing', async () => {
    const { draining } = await aNode(aPod('agent', 'DaemonSet'), aPod('job', 'Job', 'Succeeded'))

    expect(await draining()).toBe(true)
  })

  it('respects a disruption budget until the deadline, and not beyond it', async () => {
    const { client, names, draining, clock } = await aNode(aPod('web-1'))

    expect(await draining(guarded(client))).toBe(false)
    await clock.advance(TIMEOUT_MS - 1)
    expect(await draining(guarded(client))).toBe(false)
    expect(names()).toEqual(['web-1'])
    await clock.advance(1)
    await draining(guarded(client))

    expect(names()).toEqual([])
  })

  it('deletes at the deadline what it may not evict', async () => {
    const { client, names, draining, clock } = await aNode(aPod('web-1'))
    const forbidden = refusing(client, 403, 'Forbidden')

    expect(await draining(forbidden)).toBe(false)
    await clock.advance(TIMEOUT_MS)
    await draining(forbidden)

    expect(names()).toEqual([])
  })

  it('counts its deadline from the first attempt, also after a restart', async () => {
    const { client, node, clock, draining } = await aNode(aPod('web-1'))
    await draining(guarded(client))
    const since = node().metadata.annotations

    await clock.advance(1_000)
    await draining(guarded(client))

    expect(node().metadata.annotations).toEqual(since)
    expect(since).toEqual({ 'bourse.dev/draining-since': '2026-01-01T00:00:00.000Z' })
  })
})
