import { createConnections } from '@bourse/daemon/connections'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { showConnections } from './connection-metrics.ts'

it('shows connections by port and state, and why some were not kept, as of each scrape', async () => {
  const registry = new Registry()
  const dropped = new Map([['silent', 3]] as const)
  const figures = () => [{ name: 'api', open: 2, arriving: 1, dropped }]
  showConnections(registry, { ...createConnections(), figures, unwrittenBytes: () => 7 })
  await registry.metrics()

  const text = await registry.metrics()

  expect(text).toContain('broker_connections{port="api",state="open"} 2')
  expect(text).toContain('broker_connections{port="api",state="arriving"} 1')
  expect(text).toContain('broker_connections_dropped_total{port="api",reason="silent"} 3')
  expect(text).toContain('broker_unwritten_bytes 7')
})
