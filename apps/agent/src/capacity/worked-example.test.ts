import { aNode, aPod } from '@bourse/testkit/control-plane'
import { describe, expect, it } from 'vitest'
import { measure } from '../../fixtures/capacity/measure.ts'
import { readNode } from './node-facts.ts'
import { DEFAULT_NODE_RULES } from './node-rules.ts'
import type { NodeObject, PodObject } from './objects.ts'
import { createPodReader } from './pod-share.ts'
import { applySharing, type SharingLimits } from './sharing.ts'

// The example of docs/capacity.md: change both together.

const MIB = 2n ** 20n
const GIB = 2n ** 30n

const ready = (node: ReturnType<typeof aNode>): NodeObject => ({
  ...node,
  status: { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] },
})
const taints = [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }]
const virtual = { labels: { 'liqo.io/type': 'virtual-node' } }
const nodes = [
  ready(aNode('n1')),
  ready(aNode('n2', { 'nvidia.com/gpu': '2' }, { taints })),
  ready(aNode('n3', { cpu: '4', memory: '16Gi' })),
  ready(aNode('n4', {}, { unschedulable: true })),
  ready(aNode('rome', { cpu: '6', memory: '12Gi' }, virtual)),
]

const asks = (name: string, cpu: string, memory: string) => ({
  name,
  resources: { requests: { cpu, memory } },
})
const cart: PodObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'cart', namespace: 'shop' },
  spec: {
    nodeName: 'n1',
    containers: [asks('cart', '500m', '1Gi')],
    initContainers: [
      { ...asks('mesh', '250m', '256Mi'), restartPolicy: 'Always' },
      asks('load', '2', '512Mi'),
    ],
  },
}
const labels = { 'liqo.io/managed-by': 'shadowpod', 'liqo.io/creator-user': 'r1-of-berlin' }
const train = { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' }
const pods = [
  cart,
  aPod('train', train, { nodeName: 'n2', labels }),
  aPod('sort', { cpu: '6', memory: '4Gi' }, { nodeName: 'n3' }),
  aPod('dns', { cpu: '100m' }, { nodeName: 'n4' }),
  aPod('any', { cpu: '1' }, { nodeName: 'rome' }),
]

const measured = measure(
  {
    nodes: nodes.map((node) => readNode(node, DEFAULT_NODE_RULES)),
    pods: pods.map(createPodReader()).filter((pod) => pod !== undefined),
  },
  () => [{ reservation: 'r1', resources: { cpu: 4_000n, memory: 8n * GIB, 'nvidia.com/gpu': 2n } }],
)

describe('the example of the page on capacity', () => {
  it('comes out as the page says', () => {
    expect(measured).toMatchObject({
      allocatable: { cpu: 20_000n, memory: 80n * GIB, 'nvidia.com/gpu': 2n },
      allocated: { cpu: 8_250n, memory: 9_472n * MIB, 'nvidia.com/gpu': 1n },
      largestFit: { cpu: 6_000n, memory: 31_488n * MIB, 'nvidia.com/gpu': 1n },
      used: new Map([['r1', { cpu: 2_000n, memory: 4n * GIB, 'nvidia.com/gpu': 1n, pods: 1n }]]),
      nodes: 3,
      nodesLeftOut: { Cordoned: 1, VirtualNode: 1 },
    })
  })

  it.each<{ name: string; limits: SharingLimits; allocatable: bigint; allocated: bigint }>([
    {
      name: 'half of it shared',
      limits: { share: { kind: 'percentage', percent: 50 }, keepBack: {} },
      allocatable: 10_000n,
      allocated: 2_000n,
    },
    {
      name: 'four cores kept back',
      limits: { share: { kind: 'all' }, keepBack: { cpu: 4_000n } },
      allocatable: 20_000n,
      allocated: 12_250n, // 20 − 7.75
    },
  ])('comes out as the page says with $name', ({ limits, allocatable, allocated }) => {
    expect(applySharing(measured, limits)).toMatchObject({
      allocatable: { cpu: allocatable },
      allocated: { cpu: allocated },
    })
  })
})
