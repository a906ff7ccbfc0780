import type { KubeClient, KubeObject } from '@bourse/kube'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEFAULT_NODE_RULES } from '../../capacity/index.ts'
import { createCostSource } from './cost-source.ts'

const BEFORE_NIGHT = Date.parse('2026-11-16T21:59:30Z')
const MINUTE_MS = 60_000

describe('a price list', () => {
  it('tells within a minute that the hour has another tariff', async () => {
    const { source, told } = await following({
      'cpu-cost': '0.05',
      tariffs: 'daily 22:00-24:00 cpu-cost=0.01',
    })
    const before = source.current()?.cpuCost

    vi.advanceTimersByTime(MINUTE_MS)

    expect(before).toBe('0.05')
    expect(told.at(-1)).toBe('0.01')
  })

  it('without tariffs says nothing as time goes by', async () => {
    const { told } = await following({ 'cpu-cost': '0.05' })

    vi.advanceTimersByTime(10 * MINUTE_MS)

    expect(told).toEqual([])
  })
})

async function following(data: Readonly<Record<string, string>>) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: BEFORE_NIGHT })
  const silent = () => {}
  const source = createCostSource({
    client: clusterWith({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'prices' },
      data,
    }),
    config: { currency: 'USD', fromNodes: false, configMap: { name: 'prices' } },
    rules: DEFAULT_NODE_RULES,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  })
  onTestFinished(async () => {
    vi.useRealTimers()
    await source.stop()
  })
  await source.start()
  const told: (string | undefined)[] = []
  source.subscribe(() => told.push(source.current()?.cpuCost))
  return { source, told }
}

/** Has one object, and nothing ever changes. */
function clusterWith(object: KubeObject & { data: object }) {
  const page = { isFirst: true, items: [object], resourceVersion: '1' }
  const client: Pick<KubeClient, 'pages' | 'watch' | 'namespace'> = {
    namespace: 'default',
    async *pages() {
      yield page as never
    },
    async *watch(_, { signal } = {}) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    },
  }
  return client
}
