import { describe, expect, it } from 'vitest'
import { LABEL } from '../liqo/liqo-kinds.ts'
import type { Node, ResourceSlice, SliceCondition, VirtualNode } from '../liqo/resource-slice.ts'
import { type Made, nodeProgress } from './node-progress.ts'

const granted = { cpu: '2', memory: '4Gi', pods: '110' }
const metadata = { name: 'res-rsv-1', labels: { [LABEL.reservation]: 'rsv-1' } }

const accepted = (type: SliceCondition['type']): SliceCondition => ({ type, status: 'Accepted' })
const aSlice = (conditions: readonly SliceCondition[], resources = granted): ResourceSlice => ({
  apiVersion: 'authentication.liqo.io/v1beta1',
  kind: 'ResourceSlice',
  metadata,
  spec: { class: 'bourse', resources: granted },
  status: { conditions, resources },
})
const slice = aSlice([accepted('Authentication'), accepted('Resources')])
const virtualNode: VirtualNode = {
  apiVersion: 'offloading.liqo.io/v1beta1',
  kind: 'VirtualNode',
  metadata,
  spec: { resourceQuota: { hard: granted } },
}
const aNode = (ready: 'True' | 'False', allocatable = granted, message = ''): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata,
  status: { allocatable, conditions: [{ type: 'Ready', status: ready, message }] },
})

describe('a borrowed node', () => {
  it.each<{ name: string; made: Made; stuck: string }>([
    {
      name: 'a slice that Liqo has not carried over yet',
      made: { slice: aSlice([]) },
      stuck:
        "SliceAccepted WaitingForProvider: Liqo is copying the slice to the provider's cluster",
    },
    {
      name: 'a slice that the provider has not judged yet',
      made: { slice: aSlice([accepted('Authentication')]) },
      stuck: "SliceAccepted WaitingForProvider: The provider's agent has not decided yet",
    },
    {
      name: 'a slice that was denied, in the words of the provider',
      made: {
        slice: aSlice([
          accepted('Authentication'),
          {
            type: 'Resources',
            status: 'Denied',
            reason: 'NoReservation',
            message: 'Reserve first',
          },
        ]),
      },
      stuck: 'SliceAccepted NoReservation: Reserve first',
    },
    {
      name: 'no VirtualNode yet',
      made: { slice },
      stuck: 'NodeReady WaitingForLiqo: Liqo has not made VirtualNode res-rsv-1 yet',
    },
    {
      name: 'no Node yet, although the VirtualNode is there',
      made: { slice, virtualNode },
      stuck:
        'NodeReady WaitingForKubelet: The virtual-kubelet of res-rsv-1 has not created its Node yet',
    },
    {
      name: 'a Node of the size before',
      made: { slice, virtualNode, node: aNode('True', { ...granted, cpu: '1' }) },
      stuck: 'NodeReady Resizing: Node res-rsv-1 does not have the granted amounts yet',
    },
    {
      name: 'a Node that is not ready',
      made: { slice, virtualNode, node: aNode('False', granted, 'no way to the provider') },
      stuck: 'NodeReady NodeNotReady: no way to the provider',
    },
  ])('is not usable with $name', ({ made, stuck }) => {
    const { steps, isUsable } = nodeProgress(made)

    const last = steps.at(-1)
    expect(isUsable).toBe(false)
    expect(`${last?.type} ${last?.reason}: ${last?.message}`).toBe(stuck)
  })

  it('is usable when it is ready with what was granted', () => {
    const { steps, isUsable } = nodeProgress({ slice, virtualNode, node: aNode('True') })

    expect(isUsable).toBe(true)
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'SliceAccepted True',
      'NodeReady True',
    ])
  })

  const sized = (size: typeof granted): Omit<Made, 'slice'> => ({
    virtualNode: { ...virtualNode, spec: { resourceQuota: { hard: size } } },
    node: aNode('True', size),
  })
  const answer = (reason: string, message: string): SliceCondition[] => [
    accepted('Authentication'),
    { ...accepted('Resources'), reason, message },
  ]
  const less = { ...granted, cpu: '1' }

  it('is usable, and says so, when less was granted than asked for', () => {
    const capped = answer('Capped', 'Capped at what rsv-1 reserves: 1 of 2 cpu.')

    const { steps, isUsable } = nodeProgress({ slice: aSlice(capped, less), ...sized(less) })

    expect(isUsable).toBe(true)
    expect(steps[0]).toEqual({
      type: 'SliceAccepted',
      status: 'True',
      reason: 'Capped',
      message: 'The provider has granted less than asked: 1 of 2 cpu',
    })
  })

  it.each([
    {
      name: 'all of what was asked for before',
      conditions: answer('Granted', 'As reserved: 1 cpu, 4Gi memory, 110 pods.'),
      before: less,
    },
    {
      name: 'less than was asked for before',
      conditions: answer('Capped', 'Capped at what rsv-1 reserves: 1 of 8 cpu.'),
      before: less,
    },
    {
      name: 'more than is asked for now',
      conditions: answer('Granted', 'As reserved: 4 cpu, 4Gi memory, 110 pods.'),
      before: { ...granted, cpu: '4' },
    },
  ])('is resized, and not capped, while the answer grants $name', ({ conditions, before }) => {
    const slice = aSlice(conditions, before)

    const { steps, isUsable } = nodeProgress({ slice, ...sized(before) })

    expect(isUsable).toBe(false)
    expect(steps).toMatchObject([
      {
        type: 'SliceAccepted',
        status: 'False',
        reason: 'ResizeNotAnswered',
        message: "The provider's agent has not answered the new amounts yet",
      },
      { type: 'NodeReady', status: 'True' },
    ])
  })
})
