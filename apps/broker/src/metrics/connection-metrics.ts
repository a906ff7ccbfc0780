import type { Connections } from '@bourse/daemon/connections'
import { Counter, Gauge, type Registry } from 'prom-client'

/** How many connections there are, and which of them were not kept and why. */
export function showConnections(registry: Registry, connections: Connections): void {
  const registers = [registry]
  new Gauge({
    name: 'broker_connections',
    help: 'Connections by port and state: arriving (no handshake yet, or in one) and open.',
    labelNames: ['port', 'state'],
    registers,
    collect() {
      this.reset()
      for (const { name: port, open, arriving } of connections.figures()) {
        this.set({ port, state: 'open' }, open)
        this.set({ port, state: 'arriving' }, arriving)
      }
    },
  })
  new Counter({
    name: 'broker_connections_dropped_total',
    help: 'Connections refused or ended by the broker, by port and reason.',
    labelNames: ['port', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const { name: port, dropped } of connections.figures())
        for (const [reason, count] of dropped) this.inc({ port, reason }, count)
    },
  })
  new Gauge({
    name: 'broker_unwritten_bytes',
    help: 'Bytes of answers that callers have not read yet, over all connections.',
    registers,
    collect() {
      this.set(connections.unwrittenBytes())
    },
  })
}
