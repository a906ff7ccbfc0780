import { setImmediate } from 'node:timers/promises'
import { createKubeClient } from '@bourse/kube'
import { aNode, aPod } from '@bourse/testkit/control-plane'
import { fixedConnection } from '@bourse/testkit/fixed-connection'
import { type Items, startMakeshiftApiServer } from '@bourse/testkit/makeshift-api-server'
import { useApiServerCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCapacityWatcher } from './capacity-watcher.ts'
import { DEFAULT_NODE_RULES } from './node-rules.ts'

const GIB = 2n ** 30n

const certPath = useApiServerCertificates()

/** A watcher that knows the lists, on a server that a test can let tell more. */
async function watchCluster(lists: Readonly<{ nodes?: Items; pods?: Items }>) {
  const server = await startMakeshiftApiServer(certPath(), lists)
  const client = createKubeClient(fixedConnection(server.credentials))
  const troubles: string[] = []
  const watcher = createCapacityWatcher({
    client,
    rules: DEFAULT_NODE_RULES,
    borrowersOf: (user) =>
      user === 'res-1-of-rome' || user === 'bourse-placeholder/r1'
        ? [{ reservation: 'r1', resources: { cpu: 4_000n } }]
        : [],
    placeholders: 'holds',
    onTrouble: ({ message }, watched) => troubles.push(`${watched}: ${message}`),
  })
  onTestFinished(async () => {
    await watcher.stop()
    await client.close()
    server.close()
  })
  const before = watcher.current()
  await watcher.start()
  await expect.poll(() => server.watchers('nodes') + server.watchers('pods')).toBe(2)
  // The news of the start is out.
  await setImmediate()
  return { server, watcher, before, troubles }
}

function aReadyNode(name: string, ready: 'True' | 'False' = 'True') {
  const node = aNode(name)
  return {
    ...node,
    metadata: { ...node.metadata, resourceVersion: '1', uid: `uid-of-${name}` },
    status: { ...node.status, conditions: [{ type: 'Ready', status: ready }] },
  }
}

function aRunningPod(
  name: string,
  requests: Readonly<Record<string, string>> = { cpu: '1', memory: '1Gi' },
  more: Readonly<{ labels?: Record<string, string>; nodeName?: string; namespace?: string }> = {},
) {
  const pod = aPod(name, requests, { nodeName: 'n1', ...more })
  return {
    ...pod,
    metadata: { ...pod.metadata, resourceVersion: '1', uid: `uid-of-${name}` },
    status: { phase: 'Running' },
  }
}

describe('a capacity watcher', () => {
  it('knows nothing before it has both lists, and then what they hold', async () => {
    const offloaded = {
      'liqo.io/managed-by': 'shadowpod',
      'liqo.io/creator-user': 'res-1-of-rome',
    }
    const { watcher, before } = await watchCluster({
      nodes: [aReadyNode('n1'), aReadyNode('n2', 'False')],
      pods: [aRunningPod('a'), aRunningPod('b', { cpu: '500m' }, { labels: offloaded })],
    })

    expect(before).toBeUndefined()
    expect(watcher.current()).toEqual({
      capacity: { cpu: 8_000n, memory: 32n * GIB, pods: 110n },
      allocatable: { cpu: 8_000n, memory: 32n * GIB, pods: 110n },
      allocated: { cpu: 1_500n, memory: GIB, pods: 2n },
      largestFit: { cpu: 6_500n, memory: 31n * GIB, pods: 108n },
      used: new Map([['r1', { cpu: 500n, pods: 1n }]]),
      gpuModels: {},
      nodes: 1,
      nodesLeftOut: { NotReady: 1 },
      problems: [],
    })
  })

  it('believes a creator only of a pod that Liqo made', async () => {
    const labels = { 'liqo.io/creator-user': 'res-1-of-rome' }
    const { watcher } = await watchCluster({
      nodes: [aReadyNode('n1')],
      pods: [aRunningPod('forged', { cpu: '4' }, { labels })],
    })

    expect(watcher.current()).toMatchObject({ allocated: { cpu: 4_000n }, used: new Map() })
  })

  it('counts a placeholder as used, and believes it in its own namespace only', async () => {
    const labels = { 'bourse.dev/placeholder-for': 'r1' }
    const { watcher } = await watchCluster({
      nodes: [aReadyNode('n1')],
      pods: [
        aRunningPod('hold', { cpu: '1' }, { labels, namespace: 'holds' }),
        aRunningPod('forged', { cpu: '2' }, { labels }),
      ],
    })

    expect(watcher.current()).toMatchObject({
      allocated: { cpu: 3_000n },
      used: new Map([['r1', { cpu: 1_000n, pods: 1n }]]),
    })
  })

  it('asks only for pods that have a node and have not ended', async () => {
    const { server } = await watchCluster({ nodes: [aReadyNode('n1')] })

    const asked = server.heard.filter((url) => url.includes('/pods'))

    expect(asked).toHaveLength(1)
    expect(asked.every((url) => decodeURIComponent(url).includes(SELECTOR))).toBe(true)
  })

  it('follows pods and nodes as they come, change and go', async () => {
    const { server, watcher } = await watchCluster({ nodes: [aReadyNode('n1')] })
    const allocated = () => watcher.current()?.allocated.cpu

    server.tell('pods', 'ADDED', aRunningPod('a'))
    await expect.poll(allocated).toBe(1_000n)
    server.tell('pods', 'MODIFIED', aRunningPod('a', { cpu: '3' }))
    await expect.poll(allocated).toBe(3_000n)
    server.tell('nodes', 'MODIFIED', aReadyNode('n1', 'False'))
    await expect.poll(allocated).toBe(0n)
    server.tell('nodes', 'MODIFIED', aReadyNode('n1'))
    await expect.poll(allocated).toBe(3_000n)
    server.tell('pods', 'MODIFIED', { ...aRunningPod('a'), status: { phase: 'Succeeded' } })
    await expect.poll(allocated).toBe(0n)
    server.tell('nodes', 'DELETED', aReadyNode('n1'))
    await expect.poll(() => watcher.current()?.nodes).toBe(0)
  })

  it('does not tell of changes that change no number', async () => {
    const { server, watcher } = await watchCluster({
      nodes: [aReadyNode('n1')],
      pods: [aRunningPod('a')],
    })
    await expect.poll(() => watcher.current()?.allocated.cpu).toBe(1_000n)
    const heard: (bigint | undefined)[] = []
    watcher.subscribe(() => heard.push(watcher.current()?.allocated.cpu))

    server.tell('pods', 'MODIFIED', { ...aRunningPod('a'), status: { phase: 'Running', ip: '1' } })
    server.tell('nodes', 'MODIFIED', { ...aReadyNode('n1'), spec: { podCIDR: '10.0.0.0/24' } })
    server.tell('pods', 'ADDED', aRunningPod('b'))

    await expect.poll(() => heard).toContain(2_000n)
    expect(heard).toEqual([2_000n])
  })

  it('survives a quantity that cannot be read, and names it until it is gone', async () => {
    const { server, watcher } = await watchCluster({
      nodes: [aReadyNode('n1'), aReadyNode('n2')],
      pods: [aRunningPod('odd', { cpu: 'lots', memory: '1Gi' })],
    })

    expect(watcher.current()).toMatchObject({
      allocated: { cpu: 8_000n, memory: GIB },
      largestFit: { cpu: 8_000n },
      problems: [
        'Pod default/odd has a request that cannot be read (cpu: "lots" is not a quantity: write an amount such as "500m", "4Gi" or "0.1"): its node counts as having none of that free until the pod is fixed or gone.',
      ],
    })

    // Another object of the same pod, as its kubelet writes every now and then.
    server.tell('pods', 'MODIFIED', aRunningPod('odd', { cpu: 'lots', memory: '1Gi' }))
    server.tell('pods', 'DELETED', aRunningPod('odd', { cpu: 'lots', memory: '1Gi' }))
    await expect.poll(() => watcher.current()?.problems).toEqual([])
    expect(watcher.current()?.allocated).toMatchObject({ cpu: 0n, memory: 0n })
  })

  it('counts right after a node flapped a hundred times, and between its flaps', async () => {
    const { server, watcher } = await watchCluster({
      nodes: [aReadyNode('n1'), aReadyNode('n2')],
      pods: [aRunningPod('a')],
    })
    const seen = new Set<string>()
    watcher.subscribe(() => {
      const { nodes, allocatable, allocated } = watcher.current() ?? {}
      seen.add(`${nodes} nodes, ${allocated?.cpu} of ${allocatable?.cpu}`)
    })

    for (let flap = 0; flap < 100; flap++) {
      server.tell('nodes', 'MODIFIED', aReadyNode('n1', 'False'))
      server.tell('nodes', 'MODIFIED', aReadyNode('n1', 'True'))
    }
    server.tell('nodes', 'DELETED', aReadyNode('n2'))

    await expect.poll(() => [...seen].at(-1)).toBe('1 nodes, 1000 of 8000')
    expect(['2 nodes, 1000 of 16000', '1 nodes, 0 of 8000', '1 nodes, 1000 of 8000']).toEqual(
      expect.arrayContaining([...seen]),
    )
  })

  it('is where it was after ten thousand pods came and went, told in far fewer pieces', async () => {
    const { server, watcher } = await watchCluster({
      nodes: [aReadyNode('n1')],
      pods: [aRunningPod('stays')],
    })
    const before = watcher.current()
    let news = 0
    watcher.subscribe(() => news++)

    for (let at = 0; at < 10_000; at++) {
      server.tell('pods', 'ADDED', aRunningPod(`pod-${at}`, { cpu: `${at % 7}m` }))
      if (at >= 50) server.tell('pods', 'DELETED', aRunningPod(`pod-${at - 50}`))
    }
    for (let at = 9_950; at < 10_000; at++) server.tell('pods', 'DELETED', aRunningPod(`pod-${at}`))
    server.tell('pods', 'ADDED', aRunningPod('last', { cpu: '7' }))
    // On a busy machine that takes a while.
    const busy = { timeout: 60_000 }
    await expect.poll(() => watcher.current()?.allocated.cpu, busy).toBe(8_000n)
    server.tell('pods', 'DELETED', aRunningPod('last'))

    await expect.poll(() => watcher.current(), busy).toEqual(before)
    expect(news).toBeLessThan(5_000)
  }, 120_000)

  it('goes on where it was when its connections are cut', async () => {
    const { server, watcher, troubles } = await watchCluster({ nodes: [aReadyNode('n1')] })

    server.cut()
    server.tell('pods', 'ADDED', aRunningPod('meanwhile'))

    await expect.poll(() => watcher.current()?.allocated.cpu).toBe(1_000n)
    expect(troubles).toEqual(
      expect.arrayContaining([
        expect.stringContaining('nodes: '),
        expect.stringContaining('pods: '),
      ]),
    )
  })
})

const SELECTOR = 'fieldSelector=spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed'
