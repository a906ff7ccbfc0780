import type { Connections } from '@bourse/daemon/connections'
import type { Registry } from 'prom-client'
import { createFigures } from './figures.ts'

/** How many connections there are, and which of them were not kept and why. */
export function showConnections(registry: Registry, connections: Connections): void {
  const { counters, gauge, gauges } = createFigures(registry)
  const states = {
    name: 'broker_connections',
    help: 'Connections by port and state: arriving (no handshake yet, or in one) and open.',
    labelNames: ['port', 'state'],
  }
  gauges(states, (shown) => {
    shown.reset()
    for (const { name: port, open, arriving } of connections.figures()) {
      shown.set({ port, state: 'open' }, open)
      shown.set({ port, state: 'arriving' }, arriving)
    }
  })
  const drops = {
    name: 'broker_connections_dropped_total',
    help: 'Connections refused or ended by the broker, by port and reason.',
    labelNames: ['port', 'reason'],
  }
  counters(drops, (shown) => {
    for (const { name: port, dropped } of connections.figures())
      for (const [reason, count] of dropped) shown.inc({ port, reason }, count)
  })
  gauge(
    'broker_unwritten_bytes',
    'Bytes of answers that callers have not read yet, over all connections.',
    connections.unwrittenBytes,
  )
}
