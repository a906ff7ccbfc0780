import { describe, expect, it } from 'vitest'
import { aCountedNode, aShare } from '../../fixtures/capacity/capacity.ts'
import { measure } from '../../fixtures/capacity/measure.ts'
import { applySharing, SHARE_ALL, type Share } from './sharing.ts'

/** 100 cores: 66 taken by own pods, 4 used by a reservation, 30 free. 3 GPUs, all free. */
const cluster = measure(
  {
    nodes: [
      aCountedNode(
        'n1',
        { cpu: 100_000n, 'nvidia.com/gpu': 3n },
        { gpuModels: [{ model: 'T4', count: 3 }] },
      ),
    ],
    pods: [aShare('n1', { cpu: 66_000n }), aShare('n1', { cpu: 4_000n }, { creatorUser: 'rome' })],
  },
  () => [{ reservation: 'r1', resources: { cpu: 10_000n } }],
)

function offeredOf(share: Share, keepBack = {}) {
  const { allocatable, allocated, largestFit } = applySharing(cluster, { share, keepBack })
  const cpu = (allocatable.cpu ?? 0n) - (allocated.cpu ?? 0n)
  return { allocatable: allocatable.cpu, offered: cpu, largestFit: largestFit.cpu }
}

describe('applySharing', () => {
  it('changes nothing where all is shared', () => {
    expect(applySharing(cluster, SHARE_ALL)).toEqual(cluster)
  })

  it.each<{ name: string; share: Share; keepBack?: object; allocatable: bigint; offered: bigint }>([
    {
      name: 'half of the cluster is more than is free: what is free',
      share: { kind: 'percentage', percent: 50 },
      allocatable: 50_000n,
      offered: 30_000n,
    },
    {
      name: 'a fifth is less than is free: a fifth, less what is lent already', // 20 − 4
      share: { kind: 'percentage', percent: 20 },
      allocatable: 20_000n,
      offered: 16_000n,
    },
    {
      name: 'less than is lent already: nothing more',
      share: { kind: 'percentage', percent: 3 },
      allocatable: 3_000n,
      offered: 0n,
    },
    {
      name: 'sixteen cores, less what is lent already',
      share: { kind: 'amount', amount: { cpu: 16_000n } },
      allocatable: 16_000n,
      offered: 12_000n,
    },
    {
      name: 'more cores than there are: what is free',
      share: { kind: 'amount', amount: { cpu: 500_000n } },
      allocatable: 100_000n,
      offered: 30_000n,
    },
    {
      name: 'nothing of what is not named',
      share: { kind: 'amount', amount: { 'nvidia.com/gpu': 1n } },
      allocatable: 0n,
      offered: 0n,
    },
    {
      name: 'all but what is kept back',
      share: { kind: 'all' },
      keepBack: { cpu: 12_000n },
      allocatable: 100_000n,
      offered: 18_000n,
    },
    {
      name: 'nothing where more is kept back than is free',
      share: { kind: 'all' },
      keepBack: { cpu: 31_000n },
      allocatable: 100_000n,
      offered: 0n,
    },
    {
      name: 'the smaller of share and what is not kept back',
      share: { kind: 'percentage', percent: 20 },
      keepBack: { cpu: 25_000n },
      allocatable: 20_000n,
      offered: 5_000n,
    },
    { name: 'nothing', share: { kind: 'nothing' }, allocatable: 0n, offered: 0n },
  ])('offers $name', ({ share, keepBack, allocatable, offered }) => {
    expect(offeredOf(share, keepBack)).toEqual({ allocatable, offered, largestFit: offered })
  })

  it('rounds a share of a GPU down, and shows no more than is shared', () => {
    const half = applySharing(cluster, {
      share: { kind: 'percentage', percent: 50 },
      keepBack: {},
    })

    expect(half).toMatchObject({
      capacity: { cpu: 50_000n, 'nvidia.com/gpu': 1n },
      allocatable: { cpu: 50_000n, 'nvidia.com/gpu': 1n },
      largestFit: { 'nvidia.com/gpu': 1n },
    })
  })

  it('lends slots for pods with every amount that is lent', () => {
    const some = applySharing(cluster, {
      share: { kind: 'amount', amount: { cpu: 1_000n } },
      keepBack: {},
    })

    expect(some).toMatchObject({ allocatable: { pods: 110n }, allocated: { pods: 2n } })
  })

  it('shows nothing of a cluster that only borrows, but what is used of it', () => {
    const nothing = applySharing(cluster, { share: { kind: 'nothing' }, keepBack: {} })

    expect(nothing).toMatchObject({
      capacity: { cpu: 0n, memory: 0n, 'nvidia.com/gpu': 0n, pods: 0n },
      gpuModels: {},
      used: new Map([['r1', { cpu: 4_000n, pods: 1n }]]),
    })
  })
})
