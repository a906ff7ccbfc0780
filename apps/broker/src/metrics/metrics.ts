import type { LedgerEvent, Outcome } from '@bourse/domain/ledger'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { AuditReport } from '../after-commit/auditor.ts'
import type { FairShare } from '../fair-share/index.ts'
import type { Answered } from '../http/index.ts'
import type { Committed, LedgerWriter, WriterMeters } from '../ledger/writer/ledger-writer.ts'
import type { RollbackGuard } from '../rollback/rollback-guard.ts'
import { createFigures } from './figures.ts'
import { showLedger } from './ledger-metrics.ts'

type Options = Readonly<{ tenants: boolean }>
type ShownShare = Pick<FairShare, 'loads' | 'line' | 'refused' | 'paused'>
type Relayed = Readonly<{
  transports: readonly Readonly<{ name: string; trouble(): unknown }>[]
  open(what: (typeof CARRIED)[number]): number
}>
export type Metrics = ReturnType<typeof createMetrics>

const FAST_SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25]
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const SKEW_SECONDS = [0.5, 1, 5, 30, 300, 3_600, 86_400]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
const CARRIED = ['streams', 'calls', 'watches', 'bytes'] as const

/** The broker's figures. No cluster or requester is named in them unless `tenants` allows it. */
export function createMetrics({ tenants }: Options) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const figures = createFigures(registry)
  const { counter, counters, gauge, gauges, spread, tally, total } = figures
  const reservations = tally('broker_reservations_total', 'Reservations that entered a phase.', [
    'phase',
    'requester',
  ])
  const peerings = counter({
    name: 'broker_peering_events_total',
    help: 'Events of peering sessions: the step posted, Stuck, or how the session ended.',
    labelNames: ['event'],
  })
  const decisions = tally('broker_decisions_total', 'Commands decided, by outcome.', ['outcome'])
  const selecting = spread(
    'broker_selection_duration_seconds',
    'Time to choose a provider for a request, or to find that none has room.',
    FAST_SECONDS,
  )
  const committing = spread(
    'broker_commit_duration_seconds',
    'Time for a batch to become durable.',
    COMMIT_SECONDS,
  )
  const reserving = spread(
    'broker_time_to_reserve_seconds',
    'Time from the arrival of a reservation request to its durable answer.',
    COMMIT_SECONDS,
  )
  const answers = tally('broker_http_answers_total', 'Answers of the REST API.', [
    'method',
    'route',
    'status',
  ])
  const skews = spread(
    'broker_agent_clock_skew_seconds',
    "How far the clocks of agents are from the broker's, either way.",
    SKEW_SECONDS,
  )
  const batchSizes = spread('broker_batch_events', 'Events in a commit.', BATCH_SIZES)
  const unsettled = counter({
    name: 'broker_unsettled_commits_total',
    help: 'Commits that were fenced, or whose outcome was unknown at first.',
    labelNames: ['outcome'],
  })
  const refusals = counter({
    name: 'broker_door_refusals_total',
    help: 'Calls that gRPC and MQTT (carrier) and the live page (page) refused, by reason.',
    labelNames: ['door', 'reason'],
  })
  let isConsistent = 0
  gauge(
    'broker_audit_ok',
    '1 when events, recount and running sums agree, 0 when not.',
    () => isConsistent,
  )

  const meters: WriterMeters = {
    decided(outcome: Outcome, tookMs: number) {
      decisions(outcome.kind)
      // Everything else is so quick and frequent that it would hide how long choosing takes.
      if (outcome.kind === 'reserved' || outcome.kind === 'refused') selecting(tookMs / 1_000)
    },
    committed(eventCount: number, tookMs: number) {
      batchSizes(eventCount)
      committing(tookMs / 1_000)
    },
    unsettled: (outcome) => unsettled.inc({ outcome }),
  }

  return {
    registry,
    meters,
    follow,
    audited: ({ state }: AuditReport): void => {
      isConsistent = state === 'consistent' ? 1 : 0
    },
    answered,
    skew: (_clusterId: string, skewMs: number): void => skews(Math.abs(skewMs) / 1_000),
    refusedAt: (door: string) => (reason: string) => refusals.inc({ door, reason }),
    observeWriter,
    observeRollback,
    observeShare,
    observeObjects: (backlog: () => number): void =>
      gauge('broker_objects_backlog', 'Objects that are not read, or not updated, yet.', backlog),
    observeWaits: (waiting: () => number): void =>
      gauge('broker_open_waits', 'Long polls and streams that are open.', waiting),
    observeTransports,
  }

  function answered({ method, route, status, tookMs }: Answered): void {
    answers(method, route, `${status}`)
    if (method === 'POST' && route.endsWith('/reservations') && status < 300)
      reserving(tookMs / 1_000)
  }

  function follow({ events }: Committed): void {
    for (const event of events) {
      if ('provider' in event) peerings.inc({ event: peeringLabelOf(event) })
      if (!('reservation' in event) || event.kind === 'renewed' || event.kind === 'drained')
        continue
      const { phase, requester } = event.reservation
      if (tenants) reservations(phase, requester)
      else reservations(phase)
    }
  }

  function observeWriter(writer: LedgerWriter, skewMs: () => number): void {
    gauge('broker_queue_depth', 'Commands waiting for a decision.', writer.queueDepth)
    gauge('broker_journal_index', 'The last committed journal index.', writer.index)
    gauge('broker_ready', '1 when commands can be decided.', () => (writer.trouble() ? 0 : 1))
    gauge('broker_clock_skew_seconds', 'Wall clock minus broker time.', () => skewMs() / 1_000)
    showLedger(figures, writer)
  }

  function observeRollback(guard: Pick<RollbackGuard, 'trouble' | 'unprovenCount'>): void {
    gauge(
      'broker_rolled_back',
      '1 when the store is an older copy of its ledger, so that nothing is decided.',
      () => (guard.trouble() === undefined ? 0 : 1),
    )
    total(
      'broker_unproven_seen_total',
      'Requests refused because they named an index beyond the ledger without a valid proof.',
      guard.unprovenCount,
    )
  }

  function observeShare({ loads, line, refused, paused }: ShownShare): void {
    const { totals } = loads
    gauge('broker_requests_in_work', 'Requests being worked on.', () => totals().inWork)
    gauge(
      'broker_requests_waiting',
      'Requests that wait because their caller has reached its limit of open requests.',
      () => totals().waiting,
    )
    gauge(
      'broker_heavy_waiting',
      'Large bodies and long answers that wait for their turn.',
      line.waiting,
    )
    gauge('broker_body_bytes', 'Large bodies being received.', () => totals().bodyBytes)
    gauge('broker_unread_bytes', 'Long answers not read yet.', () => totals().unreadBytes)
    total(
      'broker_connections_paused_total',
      'Connections closed at once because their address had opened too many.',
      () => paused.connections,
    )
    const about = {
      name: 'broker_refused_requests_total',
      help: 'Requests answered with 429, by the limit that was exceeded.',
      labelNames: ['reason'],
    }
    counters(about, (shown) => {
      for (const [reason, count] of Object.entries(refused)) shown.inc({ reason }, count)
    })
  }

  function observeTransports({ transports, open }: Relayed): void {
    const carried = {
      name: 'broker_carrier_open',
      help: 'What callers by gRPC and MQTT have open; bytes: answers that they have not read.',
      labelNames: ['what'],
    }
    gauges(carried, (shown) => {
      for (const what of CARRIED) shown.set({ what }, open(what))
    })
    const reachable = {
      name: 'broker_door_open',
      help: '1 when calls can come in by this transport, 0 while an MQTT server is unreachable.',
      labelNames: ['door'],
    }
    gauges(reachable, (shown) => {
      for (const { name, trouble } of transports)
        shown.set({ door: name }, trouble() === undefined ? 1 : 0)
    })
  }
}

function peeringLabelOf(event: Extract<LedgerEvent, { provider: string }>): string {
  switch (event.kind) {
    case 'peeringOpened':
      return 'hello'
    case 'peeringPosted':
      return event.step
    case 'peeringTroubled':
      return 'Stuck'
    case 'peeringClosed':
      return event.reason
  }
}
