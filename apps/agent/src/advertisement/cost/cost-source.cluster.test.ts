// Budget: 20 seconds.
import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { aNode } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_NODE_RULES } from '../../capacity/index.ts'
import type { CostConfig } from '../../config/index.ts'
import { createCostSource } from './cost-source.ts'

const MONDAY_MORNING = Date.parse('2026-11-16T09:00:00Z')
const MONDAY_NIGHT = Date.parse('2026-11-16T23:00:00Z')

describe('the prices of a cluster', () => {
  const controlPlane = useControlPlane()
  let client: KubeClient
  let now = MONDAY_MORNING
  beforeAll(async () => {
    const kubeconfig = controlPlane().adminKubeconfig
    client = createKubeClient(await loadConnection({ kubeconfig }))
  })
  afterAll(() => client.close())

  it('are those of the price list while there is one, and change with it and with the hour', async () => {
    const source = await aSource({ cpuCost: '0.04', currency: 'USD', configMap: LIST })
    expect(source.current()).toEqual({ cpuCost: '0.04', currency: 'USD' })

    await writeList({
      'cpu-cost': '0.05',
      currency: 'CHF',
      tariffs: 'daily 22:00-24:00 cpu-cost=0.01',
    })
    await becomes(source, '0.05 CHF')
    now = MONDAY_NIGHT
    expect(spoken(source)).toBe('0.01 CHF')
    now = MONDAY_MORNING
    await writeList({ 'cpu-cost': 'dear' })
    await eventually('it is not understood', () => source.trouble()?.includes('dear'))
    expect(spoken(source)).toBe('0.05 CHF')
    await controlPlane().kubectl(['delete', 'configmap', LIST.name])

    await becomes(source, '0.04 USD')
    expect(source.trouble()).toBeUndefined()
  })

  it('are those that its nodes are labelled with, weighed by what they have', async () => {
    const source = await aSource({ cpuCost: '0.04', currency: 'USD', fromNodes: true })

    await label(aNode('cheap', { cpu: '8' }), '0.01')
    await becomes(source, '0.01 USD')
    await label(aNode('dear', { cpu: '24' }), '0.05')
    // (8 · 0.01 + 24 · 0.05) / 32
    await becomes(source, '0.04 USD')
    await controlPlane().kubectl(['delete', 'node', 'cheap'])

    await becomes(source, '0.05 USD')
    await controlPlane().kubectl(['delete', 'node', 'dear'])
  })

  async function aSource(config: Partial<CostConfig>) {
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const whole = { currency: 'USD', fromNodes: false, ...config }
    const source = createCostSource({
      client,
      config: whole,
      rules: DEFAULT_NODE_RULES,
      log,
      now: () => now,
    })
    onTestFinished(() => source.stop())
    await source.start()
    return source
  }

  function writeList(data: Readonly<Record<string, string>>): Promise<string> {
    const list = { apiVersion: 'v1', kind: 'ConfigMap', metadata: LIST, data }
    return controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(list))
  }

  async function label(node: ReturnType<typeof aNode>, cpuCost: string): Promise<void> {
    const labels = { 'bourse.dev/cpu-cost': cpuCost }
    const metadata = { ...node.metadata, labels }
    const status = { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] }
    const labelled = { ...node, metadata, status }
    await controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(labelled))
  }
})

const LIST = { name: 'prices', namespace: 'default' }

type Source = ReturnType<typeof createCostSource>

function spoken(source: Source): string {
  const { cpuCost, currency } = source.current() ?? {}
  return `${cpuCost} ${currency}`
}

/** By being told, not by looking again. */
async function becomes(source: Source, price: string): Promise<void> {
  const told = Promise.withResolvers<void>()
  const look = () => {
    if (spoken(source) === price) told.resolve()
  }
  const leave = source.subscribe(look)
  look()
  await told.promise
  leave()
}
