import { describe, expect, it } from 'vitest'
import { ALL, createAmountReader } from './amounts.ts'
import type { Container, ContainerStatus, PodObject, Written } from './objects.ts'
import { podRequests } from './pod-requests.ts'

const GIB = 2n ** 30n

type Spec = NonNullable<PodObject['spec']>
type Status = NonNullable<PodObject['status']>

function requestsOf(spec: Spec, status: Status = {}) {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart' }, spec, status }
  const problems: string[] = []
  const note = (name: string, reason: string) => problems.push(`${name}: ${reason}`)
  return { requests: podRequests(pod, createAmountReader(), note), problems }
}

const asks = (name: string, requests: Written): Container => ({ name, resources: { requests } })
const sidecar = (name: string, requests: Written): Container => ({
  ...asks(name, requests),
  restartPolicy: 'Always',
})

describe('podRequests counts what the scheduler sets aside', () => {
  it.each([
    {
      name: 'nothing but a slot for a pod that asks for nothing',
      spec: { containers: [{ name: 'web' }] },
      requests: { pods: 1n },
    },
    {
      name: 'the sum of the containers',
      spec: {
        containers: [asks('web', { cpu: '1', memory: '1Gi' }), asks('log', { cpu: '500m' })],
      },
      requests: { cpu: 1_500n, memory: GIB, pods: 1n },
    },
    {
      name: 'the peak of the init containers where it is higher',
      spec: {
        containers: [asks('web', { cpu: '1', memory: '2Gi' })],
        initContainers: [asks('load', { cpu: '3' }), asks('move', { cpu: '2', memory: '1Gi' })],
      },
      requests: { cpu: 3_000n, memory: 2n * GIB, pods: 1n },
    },
    {
      name: 'sidecars beside the containers',
      spec: {
        containers: [asks('web', { cpu: '1' })],
        initContainers: [sidecar('mesh', { cpu: '2' })],
      },
      requests: { cpu: 3_000n, pods: 1n },
    },
    {
      name: 'an init container beside the sidecars that were started before it', // 2 + 5
      spec: {
        containers: [asks('web', { cpu: '1' })],
        initContainers: [sidecar('mesh', { cpu: '2' }), asks('load', { cpu: '5' })],
      },
      requests: { cpu: 7_000n, pods: 1n },
    },
    {
      name: 'an init container without the sidecars that are started after it', // max(5, 1 + 2)
      spec: {
        containers: [asks('web', { cpu: '1' })],
        initContainers: [asks('load', { cpu: '5' }), sidecar('mesh', { cpu: '2' })],
      },
      requests: { cpu: 5_000n, pods: 1n },
    },
    {
      name: 'sidecars and init containers in turns', // max(1+2+3, 4, 2, 2+6, 2+3) = 8
      spec: {
        containers: [asks('web', { cpu: '1' })],
        initContainers: [
          asks('a', { cpu: '4' }),
          sidecar('b', { cpu: '2' }),
          asks('c', { cpu: '6' }),
          sidecar('d', { cpu: '3' }),
        ],
      },
      requests: { cpu: 8_000n, pods: 1n },
    },
    {
      name: 'the overhead of the runtime on top of all',
      spec: {
        containers: [asks('web', { cpu: '1' })],
        initContainers: [asks('load', { cpu: '2' })],
        overhead: { cpu: '250m', memory: '120Mi' },
      },
      requests: { cpu: 2_250n, memory: 120n * 2n ** 20n, pods: 1n },
    },
    {
      name: "the pod's own requests in place of its containers', except for what they cannot name",
      spec: {
        containers: [asks('web', { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' })],
        resources: { requests: { cpu: '4', 'hugepages-2Mi': '2Mi', 'nvidia.com/gpu': '7' } },
        overhead: { cpu: '1' },
      },
      requests: {
        cpu: 5_000n,
        memory: GIB,
        'nvidia.com/gpu': 1n,
        'hugepages-2Mi': 2n ** 21n,
        pods: 1n,
      },
    },
    {
      name: 'every resource by its own name, and none that an advertisement cannot carry',
      spec: {
        containers: [
          asks('web', {
            'amd.com/gpu': '2',
            'nvidia.com/mig-1g.5gb': '3',
            'gpu.intel.com/i915': 1,
            'ephemeral-storage': '1k',
            'attachable-volumes-csi': '1',
          }),
        ],
      },
      requests: {
        'amd.com/gpu': 2n,
        'nvidia.com/mig-1g.5gb': 3n,
        'gpu.intel.com/i915': 1n,
        'ephemeral-storage': 1_000n,
        pods: 1n,
      },
    },
    {
      name: 'fractions of bytes together before they are rounded up', // 0.4 + 0.4 = 0.8 → 1
      spec: { containers: [asks('a', { memory: '400m' }), asks('b', { memory: '400m' })] },
      requests: { memory: 1n, pods: 1n },
    },
  ])('$name', ({ spec, requests }) => {
    expect(requestsOf(spec)).toEqual({ requests, problems: [] })
  })
})

describe('podRequests while a pod is resized in place', () => {
  const wants = (cpu: string) => ({ containers: [asks('web', { cpu })] })
  const runs = (status: Omit<ContainerStatus, 'name'>, conditions: Status['conditions'] = []) => ({
    containerStatuses: [{ name: 'web', ...status }],
    conditions,
  })
  const pending = (reason: string) => [{ type: 'PodResizePending', status: 'True', reason }]
  const with4 = { resources: { requests: { cpu: '4' } } }

  it.each([
    {
      name: 'what is asked for, when that is most',
      spec: wants('6'),
      status: runs(with4),
      cpu: 6n,
    },
    { name: 'what runs, when that is most', spec: wants('2'), status: runs(with4), cpu: 4n },
    {
      name: 'what was allocated, when that is most',
      spec: wants('2'),
      status: runs({ ...with4, allocatedResources: { cpu: '5' } }),
      cpu: 5n,
    },
    {
      name: 'what is asked for, while the kubelet defers it',
      spec: wants('6'),
      status: runs(with4, pending('Deferred')),
      cpu: 6n,
    },
    {
      name: 'what runs and was allocated, once the kubelet called it infeasible',
      spec: wants('6'),
      status: runs({ ...with4, allocatedResources: { cpu: '3' } }, pending('Infeasible')),
      cpu: 4n,
    },
    {
      name: 'what is asked for, as long as the status tells no resources',
      spec: wants('2'),
      status: runs({ allocatedResources: { cpu: '5' } }, pending('Infeasible')),
      cpu: 2n,
    },
    {
      name: 'what a sidecar runs with',
      spec: { initContainers: [sidecar('mesh', { cpu: '1' })] },
      status: { initContainerStatuses: [{ name: 'mesh', ...with4 }] },
      cpu: 4n,
    },
    {
      name: 'what an init container asks for: it is not resized',
      spec: { initContainers: [asks('load', { cpu: '1' })] },
      status: { initContainerStatuses: [{ name: 'load', ...with4 }] },
      cpu: 1n,
    },
    {
      name: 'the most of what the pod itself asks for, was allocated and runs with',
      spec: { resources: { requests: { cpu: '1' } } },
      status: { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } },
      cpu: 3n,
    },
    {
      name: 'what the pod itself runs with, once its resize is infeasible',
      spec: { resources: { requests: { cpu: '9' } } },
      status: { resources: { requests: { cpu: '2' } }, conditions: pending('Infeasible') },
      cpu: 2n,
    },
  ])('counts $name', ({ spec, status, cpu }) => {
    expect(requestsOf(spec, status).requests).toEqual({ cpu: cpu * 1_000n, pods: 1n })
  })

  it('adds what claims take of the node', () => {
    const claims = [{ resources: { cpu: '2' } }, { resources: { cpu: '1' } }]

    const { requests } = requestsOf(wants('1'), { nodeAllocatableResourceClaimStatuses: claims })

    expect(requests).toEqual({ cpu: 4_000n, pods: 1n })
  })
})

describe('podRequests of what cannot be read', () => {
  it.each([
    { text: 'lots', reason: 'is not a quantity' },
    { text: '1K', reason: 'unknown suffix' },
    { text: '-1', reason: 'is negative' },
    { text: '12E', reason: 'too large' },
  ])('takes $text for all there is, and says so', ({ text, reason }) => {
    const spec = {
      containers: [asks('web', { cpu: '1', memory: text }), asks('log', { memory: 1 })],
    }

    const { requests, problems } = requestsOf(spec)

    expect(requests).toEqual({ cpu: 1_000n, memory: ALL, pods: 1n })
    expect(problems).toEqual([expect.stringContaining(reason)])
  })
})
