import { describe, expect, it } from 'vitest'
import { DEFAULT_NODE_RULES, leftOutBecause, type NodeRules } from './node-rules.ts'
import type { NodeObject, Taint } from './objects.ts'

type More = Readonly<{
  labels?: Record<string, string>
  ready?: string
  unschedulable?: boolean
  taints?: readonly Taint[]
}>

function aNode({ labels = {}, ready = 'True', ...spec }: More = {}): NodeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', labels },
    spec,
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: ready },
      ],
      allocatable: { cpu: '8', 'nvidia.com/gpu': '4' },
    },
  }
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane'
const controlPlane = { labels: { [CONTROL_PLANE]: '' } }
const keptFree = { ...controlPlane, taints: [{ key: CONTROL_PLANE, effect: 'NoSchedule' }] }
const batch = { key: 'team', value: 'batch', effect: 'NoSchedule' }
const gpuOnly = { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }

describe('a node', () => {
  it.each<{ name: string; node: More; rules?: Partial<NodeRules>; reason: string | undefined }>([
    { name: 'that is Ready counts', node: {}, reason: undefined },
    { name: 'that is not Ready', node: { ready: 'False' }, reason: 'NotReady' },
    { name: 'that is not heard of', node: { ready: 'Unknown' }, reason: 'NotReady' },
    { name: 'that is cordoned', node: { unschedulable: true }, reason: 'Cordoned' },
    {
      name: 'that is borrowed, also if it is Ready',
      node: { labels: { 'liqo.io/type': 'virtual-node' } },
      reason: 'VirtualNode',
    },
    { name: 'with a taint', node: { taints: [batch] }, reason: 'Tainted' },
    {
      name: 'whose taint evicts',
      node: { taints: [{ ...batch, effect: 'NoExecute' }] },
      reason: 'Tainted',
    },
    {
      name: 'whose taint is only a preference counts',
      node: { taints: [{ ...batch, effect: 'PreferNoSchedule' }] },
      reason: undefined,
    },
    {
      name: 'under pressure',
      node: { taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] },
      reason: 'Tainted',
    },
    {
      name: 'that is Ready again, before its taint is gone, counts',
      node: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      reason: undefined,
    },
    {
      name: 'whose taint is tolerated by key counts',
      node: { taints: [batch] },
      rules: { toleratedTaints: [{ key: 'team' }] },
      reason: undefined,
    },
    {
      name: 'whose taint has another value than the tolerated one',
      node: { taints: [batch] },
      rules: { toleratedTaints: [{ key: 'team', value: 'web' }] },
      reason: 'Tainted',
    },
    {
      name: 'whose taint has another effect than the tolerated one',
      node: { taints: [batch] },
      rules: { toleratedTaints: [{ key: 'team', effect: 'NoExecute' }] },
      reason: 'Tainted',
    },
    {
      name: 'with a second taint that is not tolerated',
      node: { taints: [batch, { key: 'other', effect: 'NoSchedule' }] },
      rules: { toleratedTaints: [{ key: 'team', value: 'batch', effect: 'NoSchedule' }] },
      reason: 'Tainted',
    },
    {
      name: 'dedicated to a resource that it has counts',
      node: { taints: [gpuOnly] },
      reason: undefined,
    },
    {
      name: 'dedicated to a resource, where such nodes are not counted',
      node: { taints: [gpuOnly] },
      rules: { countDedicatedNodes: false },
      reason: 'Tainted',
    },
    { name: 'of the control plane, with its taint', node: keptFree, reason: 'ControlPlane' },
    {
      name: 'of the control plane, without its taint, counts',
      node: controlPlane,
      reason: undefined,
    },
    {
      name: 'of the control plane, with its taint, counts where it is told to',
      node: keptFree,
      rules: { controlPlaneNodes: 'count' },
      reason: undefined,
    },
    {
      name: 'of the control plane, without its taint, where it is left out',
      node: controlPlane,
      rules: { controlPlaneNodes: 'leave-out' },
      reason: 'ControlPlane',
    },
    {
      name: 'of the control plane, by its old name, where it is left out',
      node: { labels: { 'node-role.kubernetes.io/master': 'true' } },
      rules: { controlPlaneNodes: 'leave-out' },
      reason: 'ControlPlane',
    },
  ])('$name: $reason', ({ node, rules = {}, reason }) => {
    expect(leftOutBecause(aNode(node), { ...DEFAULT_NODE_RULES, ...rules })).toBe(reason)
  })

  it('without any status is not Ready', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }

    expect(leftOutBecause(node, DEFAULT_NODE_RULES)).toBe('NotReady')
  })
})
