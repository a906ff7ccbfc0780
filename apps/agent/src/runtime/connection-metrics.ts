import type { Connections } from '@bourse/daemon/connections'
import type { Metrics } from './metrics.ts'

export function showConnections({ gauge }: Pick<Metrics, 'gauge'>, connections: Connections): void {
  gauge('agent_connections', 'Connections by port and state: arriving and open.', () =>
    connections.figures().flatMap(({ name: port, open, arriving }) => [
      { labels: { port, state: 'open' }, value: open },
      { labels: { port, state: 'arriving' }, value: arriving },
    ]),
  )
  gauge('agent_connections_dropped', 'Connections refused or ended, by port and reason.', () =>
    connections
      .figures()
      .flatMap(({ name: port, dropped }) =>
        [...dropped].map(([reason, value]) => ({ labels: { port, reason }, value })),
      ),
  )
}
