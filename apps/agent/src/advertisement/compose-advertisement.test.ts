import { describe, expect, it } from 'vitest'
import type { Measurement } from '../capacity/index.ts'
import { composeAdvertisement } from './compose-advertisement.ts'

const GI = 2n ** 30n
const described = { clusterId: 'paris', visibility: 'summary' } as const
const measured: Measurement = {
  capacity: { cpu: 16_000n, memory: 64n * GI },
  allocatable: { cpu: 15_000n, memory: 60n * GI },
  allocated: { cpu: 5_000n, memory: 10n * GI },
  largestFit: { cpu: 4_000n, memory: 30n * GI },
  used: new Map(),
  gpuModels: {},
  nodes: 4,
  nodesLeftOut: {},
  problems: [],
}
const held = (id: string, cpu: bigint) => ({ id, requester: 'rome', resources: { cpu } })

describe('composeAdvertisement', () => {
  it('says what is measured, and what is left of it', () => {
    expect(composeAdvertisement({ described, measured, held: [], cost: undefined })).toEqual({
      clusterID: 'paris',
      clusterName: 'paris',
      resources: {
        capacity: { cpu: '16', memory: '64Gi' },
        allocatable: { cpu: '15', memory: '60Gi' },
        allocated: { cpu: '5', memory: '10Gi' },
        available: { cpu: '10', memory: '50Gi' },
      },
      visibility: 'summary',
      largestFit: { cpu: '4', memory: '30Gi' },
    })
  })

  it.each([
    // 15 − 5 − 4
    { name: 'all of an idle reservation', used: {}, reserved: '4', available: '6' },
    // 15 − 5 − max(0, 4 − 3): the 3 in use are among the 5 allocated
    {
      name: 'only the idle part of one in use',
      used: { a: 3_000n },
      reserved: '4',
      available: '9',
    },
    // 15 − 5 − max(0, 4 − 6)
    { name: 'nothing of one that uses more', used: { a: 6_000n }, reserved: '4', available: '10' },
  ])('takes $name from what is available', ({ used, reserved, available }) => {
    const usedCpu = Object.entries(used).map(([id, cpu]) => [id, { cpu }] as const)

    const { resources } = composeAdvertisement({
      described,
      measured: { ...measured, used: new Map(usedCpu) },
      held: [held('a', 4_000n)],
      cost: undefined,
    })

    expect(resources.reserved).toEqual({ cpu: reserved, memory: '0' })
    expect(resources.available).toEqual({ cpu: available, memory: '50Gi' })
  })

  it('has cpu and memory in every block, and nothing that is empty', () => {
    const empty = { capacity: {}, allocatable: {}, allocated: {}, largestFit: {} }

    const advertised = composeAdvertisement({
      described: { ...described, labels: {} },
      measured: { ...measured, ...empty },
      held: [],
      cost: undefined,
    })

    const none = { cpu: '0', memory: '0' }
    expect(advertised).toEqual({
      clusterID: 'paris',
      clusterName: 'paris',
      resources: { capacity: none, allocatable: none, allocated: none, available: none },
      visibility: 'summary',
    })
  })

  it('never shows less than nothing', () => {
    const { resources } = composeAdvertisement({
      described,
      measured: { ...measured, allocated: { cpu: 20_000n } },
      held: [held('a', 4_000n)],
      cost: undefined,
    })

    expect(resources.available).toEqual({ cpu: '0', memory: '60Gi' })
  })

  it('tells what reservations use, of those that are held', () => {
    const used = new Map([
      ['a', { cpu: 1_000n }],
      ['long-gone', { cpu: 2_000n }],
    ])

    const advertised = composeAdvertisement({
      described,
      measured: { ...measured, used },
      held: [held('a', 4_000n)],
      cost: undefined,
    })

    expect(advertised.used).toEqual({ a: { cpu: '1' } })
  })

  it('carries prices, place, labels, address, GPU models and what its Liqo enforces', () => {
    const advertised = composeAdvertisement({
      described: {
        ...described,
        clusterName: 'Paris AI',
        endpointUrl: 'https://paris.example:6443',
        location: 'eu-west',
        labels: { tier: 'gold' },
      },
      measured: { ...measured, gpuModels: { 'NVIDIA-A100': 8 } },
      held: [],
      cost: { cpuCost: '0.04', currency: 'USD' },
      liqo: { enforcement: 'Hard', policy: 'InForce' },
    })

    expect(advertised).toMatchObject({
      clusterName: 'Paris AI',
      endpointURL: 'https://paris.example:6443',
      location: 'eu-west',
      labels: { tier: 'gold' },
      gpuModels: { 'NVIDIA-A100': 8 },
      cost: { cpuCost: '0.04', currency: 'USD' },
      liqo: { enforcement: 'Hard', policy: 'InForce' },
    })
  })
})
