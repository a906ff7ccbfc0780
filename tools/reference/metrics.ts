import {
  showConnections as showAgentConnections,
  showState,
} from '../../apps/agent/src/machine-metrics.ts'
import { createMeters } from '../../apps/agent/src/runtime/meters.ts'
import { createMetrics as createAgentMetrics } from '../../apps/agent/src/runtime/metrics.ts'
import { showConnections } from '../../apps/broker/src/metrics/connection-metrics.ts'
import { createMetrics } from '../../apps/broker/src/metrics/metrics.ts'
import { code, page, table, written } from './table.ts'

/** What the registry of prom-client keeps of each of its metrics. */
type Registered = Readonly<{
  name: string
  help: string
  type: string
  labelNames?: readonly string[]
}>

/** docs/reference/metrics.md: what Prometheus reads at /metrics. */
export async function metricsPage(): Promise<string> {
  return page(
    '# Metrics',
    written('what broker and agent register'),
    'At `/metrics` of `--metrics-bind-address` ([flags](flags.md)). Which of them deserve an alarm: ' +
      '[operations.md](../operations.md#metrics-worth-an-alarm).',
    '## Broker',
    brokerTable(),
    'Of its process the broker also shows what prom-client has for Node: `process_…` and `nodejs_…`. ' +
      'A histogram has `_bucket`, `_sum` and `_count`. `requester` is there only with `--metrics-tenants`.',
    '## Agent',
    await agentTable(),
  )
}

function brokerTable(): string {
  const metrics = createMetrics({ tenants: true })
  // What a metric is computed from is asked only when it is scraped.
  const unasked = { loads: {}, line: {}, refused: {}, paused: {} } as never
  metrics.observeWriter(unasked, () => 0)
  metrics.observeRollback(unasked)
  metrics.observeShare(unasked)
  metrics.observeObjects(() => 0)
  metrics.observeWaits(() => 0)
  metrics.observeTransports(unasked)
  showConnections(metrics.registry, unasked)
  // Typed for scrapes only.
  const all = metrics.registry.getMetricsAsArray() as unknown as readonly Registered[]
  return tableOf(all.filter(({ name }) => name.startsWith('broker_')))
}

/** Its labels are known by what is scraped: one of each is there. */
async function agentTable(): Promise<string> {
  const registry = createAgentMetrics()
  createMeters(registry).sliceJudged({ result: 'granted', reason: '' })
  showState(registry, {
    isLeader: () => true,
    held: () => [],
    publishing: () => undefined,
    standing: () => undefined,
    checks: () => ({ broker: () => undefined }),
    measured: () =>
      ({
        nodesLeftOut: { reason: 1 },
        allocatable: { cpu: 1n },
        allocated: { cpu: 1n },
        problems: [],
      }) as never,
  })
  const figures = { name: 'metrics', open: 0, arriving: 0, dropped: new Map([['silent', 0]]) }
  showAgentConnections(registry, { figures: () => [figures] } as never)
  return tableOf(familiesIn(await registry.metrics()))
}

/** The families of a scrape. */
function familiesIn(scrape: string): Registered[] {
  return scrape.split(/^(?=# HELP )/m).map((family) => {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(family) ?? []
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(family) ?? []
    const labels = [...family.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)
    return { name, help, type, labelNames: [...new Set(labels)] }
  })
}

function tableOf(metrics: readonly Registered[]): string {
  const rows = metrics
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, type, labelNames = [], help }) => [
      ...[code(name), type, labelNames.map(code).join(', '), help],
    ])
  return table(['metric', 'type', 'labels', ''], rows)
}
