import type { Connections } from '@bourse/daemon/connections'
import { clampZero, type Resources, unitOf } from '@bourse/domain/quantity'
import type { Publisher } from './advertisement/index.ts'
import type { Measurement } from './capacity/index.ts'
import type { LedgerStanding } from './instructions/index.ts'
import type { HeldReservation } from './peering/port/peering.ts'
import type { Metrics } from './runtime/metrics.ts'
import type { Checks } from './runtime/readiness.ts'

type Looks = Readonly<{
  isLeader(): boolean
  measured(): Measurement | undefined
  held(): readonly HeldReservation[]
  publishing(): ReturnType<Publisher['state']> | undefined
  standing(): LedgerStanding | undefined
  checks(): Checks
}>

/** Gauges that are computed on each scrape. */
export function showState({ gauge }: Metrics, look: Looks): void {
  const amounts = (resources: Resources | undefined) =>
    Object.entries(clampZero(resources ?? {})).map(([resource, amount]) => ({
      labels: { resource },
      value: Number(amount) / (unitOf(resource) === 'milli' ? 1_000 : 1),
    }))

  gauge('agent_leader', 'Whether this agent leads.', () => Number(look.isLeader()))
  gauge('agent_published', 'Whether the broker has the current measurement.', () => {
    const { accepted, failure } = look.publishing() ?? {}
    return Number(accepted !== undefined && failure === undefined)
  })
  gauge('agent_publish_failing_seconds', 'For how long publishing has failed.', () => {
    const since = look.publishing()?.failure?.since
    return since === undefined ? 0 : (Date.now() - since) / 1_000
  })
  gauge(
    'agent_ledger_unconfirmed',
    'Whether the broker answers from a ledger that an operator must confirm.',
    () => Number(look.standing()?.kind === 'unconfirmed'),
  )
  gauge('agent_trouble', 'Whether a part is failing; /readyz says why.', () =>
    Object.entries(look.checks()).map(([part, check]) => ({
      labels: { part },
      value: Number(check() !== undefined),
    })),
  )
  gauge('agent_nodes', 'Nodes counted.', () => look.measured()?.nodes ?? 0)
  gauge('agent_nodes_left_out', 'Nodes not counted, by reason.', () =>
    Object.entries(look.measured()?.nodesLeftOut ?? {}).map(([reason, value = 0]) => ({
      labels: { reason },
      value,
    })),
  )
  gauge('agent_allocatable', 'Allocatable resources.', () => amounts(look.measured()?.allocatable))
  gauge('agent_allocated', 'Resources requested by pods.', () =>
    amounts(look.measured()?.allocated),
  )
  gauge(
    'agent_measure_problems',
    'Problems in the last measurement.',
    () => look.measured()?.problems.length ?? 0,
  )
  gauge('agent_held_reservations', 'Reservations held here.', () => look.held().length)
}

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
