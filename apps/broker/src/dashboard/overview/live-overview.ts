import type { AuditState, DecisionLine, Overview, OverviewUpdate } from '@bourse/contract/dashboard'
import { createSignal } from '@bourse/daemon/signal'
import type { LedgerEvent, LedgerView, Reservation } from '@bourse/domain/ledger'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { DecisionRecord } from '../../store/port/history.ts'
import { createClusterCards } from './cluster-cards.ts'
import { toReservationRow } from './figures.ts'
import {
  type Changes,
  createRecentActivity,
  RESERVATIONS_MAX,
  recentLines,
  reservedLine,
} from './recent-activity.ts'
import type { RecentRefusals } from './recent-refusals.ts'

export type LiveOverviewPorts = Readonly<{
  writer: Pick<LedgerWriter, 'read' | 'subscribe'>
  refusals: Pick<RecentRefusals, 'list' | 'subscribe'>
  /** Grounds of decisions made before this process started. */
  decisionOf(reservation: Reservation): Promise<DecisionRecord | undefined>
  /** Events of before, newest first. */
  earlier?: (() => Promise<Iterable<LedgerEvent>>) | undefined
  audit(): AuditState
  now(): number
}>

/** Everything at once, or what changed since the last frame. */
export type Frame = Readonly<{ overview?: Overview; update?: OverviewUpdate }>

type Needs = Readonly<{ isFull: boolean; isBeat: boolean }>
export type LiveOverview = Awaited<ReturnType<typeof createLiveOverview>>

/** Past this a person filters; the totals still count every cluster. */
const CLUSTERS_MAX = 2_000
const RECALLED_MAX = 30
/** Going through a million reservations takes a moment that the writer has to wait. */
const RELOAD_EVERY_MS = 30_000

export async function createLiveOverview(ports: LiveOverviewPorts) {
  const { writer, refusals, audit, now } = ports
  const cards = createClusterCards()
  const activity = createRecentActivity(cards.touch)
  const { subscribe, tell: announce } = createSignal()
  let toldAudit = audit()
  let loadedAt = 0

  const unsubscribers = [
    writer.subscribe(({ events }) => {
      for (const event of events) activity.apply(event)
      if (events.length > 0) announce()
    }),
    refusals.subscribe((line) => {
      activity.note(line)
      announce()
    }),
  ]
  await writer.read(reload)
  activity.recall(await recallDecisions(ports, [...activity.live().values()].slice(-RECALLED_MAX)))
  activity.takeChanges()
  // In time: a journal far away is read for a second or two.
  void ports.earlier?.().then((events) => {
    activity.recall(recentLines(events))
    announce()
  })

  /** Reservations end from the middle: with too few left to show, older ones are looked for. */
  function isThin(view: LedgerView): boolean {
    const shown = activity.live().size
    const isDue = now() >= loadedAt + RELOAD_EVERY_MS
    return isDue && shown < Math.min(view.liveCount, RESERVATIONS_MAX) / 2
  }

  function reload(view: LedgerView): void {
    loadedAt = now()
    activity.load(view.reservations())
  }

  function assemble(view: LedgerView, index: number): Overview {
    if (isThin(view)) reload(view)
    cards.refresh(view)
    return {
      ledgerId: view.ledgerId,
      index,
      now: now(),
      audit: audit(),
      totals: cards.totals(),
      clusters: cards.all().slice(0, CLUSTERS_MAX),
      clusterCount: cards.count(),
      reservations: [...activity.live().values()].reverse().map(toReservationRow),
      liveCount: view.liveCount,
      decisions: activity.decisions(),
    }
  }

  function tellUpdate(view: LedgerView, index: number, isBeat: boolean): OverviewUpdate {
    cards.refresh(view)
    const changes = activity.takeChanges()
    const heard = isBeat ? cards.hear(view) : {}
    const auditNow = audit()
    const isAuditNew = auditNow.verdict !== toldAudit.verdict || isBeat
    toldAudit = auditNow
    return {
      index,
      now: now(),
      liveCount: view.liveCount,
      ...(isAuditNew && { audit: auditNow }),
      ...(Object.keys(heard).length > 0 && { heard }),
      ...clusterChanges(changes),
      ...reservationChanges(changes),
    }
  }

  function clusterChanges({ clusters }: Changes): Partial<OverviewUpdate> {
    if (clusters.size === 0) return {}
    const changed = [...clusters].flatMap((clusterId) => cards.get(clusterId) ?? [])
    return { clusters: changed, clusterCount: cards.count(), totals: cards.totals() }
  }

  return {
    overview: () => writer.read(assemble),

    /** Both come from one reading of the ledger, so no change between them is missed. */
    frame: ({ isFull, isBeat }: Needs): Promise<Frame> =>
      writer.read((view, index) => {
        if (activity.changes().isOverflown || isThin(view)) {
          activity.takeChanges()
          return { overview: assemble(view, index) }
        }
        const update = tellUpdate(view, index, isBeat)
        return isFull ? { update, overview: assemble(view, index) } : { update }
      }),

    onChange: subscribe,
    close(): void {
      for (const unsubscribe of unsubscribers) unsubscribe()
    },
  }
}

function reservationChanges({ reservations, ended, decisions }: Changes): Partial<OverviewUpdate> {
  return {
    ...(reservations.size > 0 && {
      reservations: [...reservations.values()].map(toReservationRow),
    }),
    ...(ended.size > 0 && { ended: [...ended] }),
    ...(decisions.length > 0 && { decisions: decisions.toReversed() }),
  }
}

/** After a restart, the decisions of the newest live reservations are shown first. */
async function recallDecisions(
  { decisionOf, refusals }: LiveOverviewPorts,
  newest: readonly Reservation[],
): Promise<readonly DecisionLine[]> {
  const lines: DecisionLine[] = [...refusals.list()]
  for (const reservation of newest) {
    const record = await decisionOf(reservation)
    if (record) lines.push(reservedLine({ at: record.at, decision: record.decision, reservation }))
  }
  return lines
}
