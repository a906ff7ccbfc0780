import { expect, it } from 'vitest'
import { showState } from './machine-metrics.ts'
import { createMetrics } from './runtime/metrics.ts'

const SHARED = {
  capacity: {},
  allocatable: {},
  allocated: {},
  largestFit: {},
  used: new Map(),
  gpuModels: {},
  nodes: 3,
}

it('shows what an operator must look at: the ledger, nodes left out, what cannot be read', async () => {
  const metrics = createMetrics()
  showState(metrics, {
    isLeader: () => true,
    measured: () => ({ ...SHARED, nodesLeftOut: { NotReady: 2 }, problems: ['A pod.'] }),
    held: () => [],
    publishing: () => undefined,
    standing: () => ({ kind: 'unconfirmed', ledgerId: 'L2', ours: 'L1', kept: 1 }),
    checks: () => ({ broker: () => 'It is away.', prices: () => undefined }),
  })

  const lines = (await metrics.metrics()).split('\n')

  expect(lines).toEqual(
    expect.arrayContaining([
      'agent_ledger_unconfirmed 1',
      'agent_trouble{part="broker"} 1',
      'agent_trouble{part="prices"} 0',
      'agent_nodes 3',
      'agent_nodes_left_out{reason="NotReady"} 2',
      'agent_measure_problems 1',
    ]),
  )
})
