import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import type { Outcome } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../../config/index.ts'
import { acceptCommand } from '../../rollback/accept-command.ts'
import { anchorPlaceOf } from '../../rollback/anchor-place.ts'
import { openRollback } from '../../rollback/open-guard.ts'
import type { Journal } from '../../store/port/journal.ts'
import type { Store } from '../../store/port/store.ts'
import { createSnapshotter } from '../../store/snapshots/snapshotter.ts'
import {
  createLedgerWriter,
  type LedgerWriter,
  type WriterMeters,
} from '../writer/ledger-writer.ts'
import { beginTerm } from './begin-term.ts'
import { createBrokerClock } from './broker-clock.ts'
import { startDeadlineTimer } from './deadline-timer.ts'
import type { Replica } from './open-replica.ts'

type Ports = Readonly<{
  config: BrokerConfig
  store: Store
  replica: Replica
  /** Absent: nothing here needs an API server. */
  client?: KubeClient | undefined
  /** Why we must not decide although elected; undefined while we may. */
  whyNotLeading(): string | undefined
  meters: WriterMeters
  /** A request that no cluster could hold: not journaled, but shown. */
  refused(refusal: Readonly<{ ranking: Ranking; at: number; index: number }>): void
  /** The store was found to be an older copy of its ledger. */
  rolledBack(): void
  log: Logger
  crash(cause: Error): void
}>

/** Below this share of free room, the journal takes no batch before a snapshot is finished. */
const ROOM_LEFT_MIN = 1 / 8

/** Turns a replica that is up to date into a ledger that decides, with its background work. */
export async function openLedger(ports: Ports) {
  const { store, replica, log, crash } = ports
  const { journal } = store
  const { ledger, keeper, requests } = replica
  let clock = createBrokerClock(replica.lastAt())
  const now = () => clock.now()
  const term = newTerm()
  const writerId = `${hostname()}-${process.pid}-${term}`
  const snapshotter = openSnapshotter(ports, { now, capture: () => capture() })
  let capture = async () => ({ image: ledger.capture(), head: replica.head() })
  if (whyFull(journal) !== undefined) await snapshotter.run()
  const openRollbackGuard = await startTerm(ports, writerId, now)
  // The last leader's clock may have been ahead of ours.
  clock = createBrokerClock(Math.max(now(), replica.lastAt()))

  let head = replica.head
  const { ledgerId } = ledger
  const rollback = await openRollbackGuard({
    ledgerId,
    head: () => head(),
    isStillOurs,
    onAccepted: crash,
    onRollback: ports.rolledBack,
  })
  const writer: LedgerWriter = createLedgerWriter({
    ledger,
    journal,
    head: replica.head(),
    writerId,
    term,
    now,
    recall: requests.recall,
    crash,
    meters: { ...ports.meters, decided },
    whyNotLeading: ports.whyNotLeading,
    halted: (reason) => log.error(`${reason} No request is decided until it can: retrying.`),
    resumed: () => log.info('the journal commits again: requests are decided'),
    // Without a working history memory would grow without bound.
    pressure: () =>
      ports.whyNotLeading() ?? rollback.trouble() ?? keeper.trouble() ?? whyFull(journal),
  })
  head = writer.head
  writer.subscribe(rollback.committed)
  replica.handOverTo(writer, now)
  capture = () => writer.betweenCommits((held, at) => ({ image: held.capture(), head: at }))
  writer.subscribe(keeper.take)
  writer.subscribe(replica.budget.follow)
  const deadlines = startDeadlineTimer({ writer, now, nextDeadline: ledger.nextDeadline })
  writer.subscribe(snapshotter.take)

  return {
    ledgerId,
    term,
    writer,
    rollback,
    decision: keeper.decision,
    now,
    skewMs: clock.skewMs,
    heard: noteHeard(writer),
    trouble,
    isStillOurs,
    close,
  }

  function decided(outcome: Outcome, tookMs: number): void {
    ports.meters.decided(outcome, tookMs)
    if (outcome.kind === 'refused')
      ports.refused({ ranking: outcome.ranking, at: now(), index: writer.index() })
  }

  /** Whether no other broker has written since; asked when a lost lease comes back. */
  async function isStillOurs(): Promise<boolean> {
    for await (const batch of journal.read(writer.index() + 1))
      if (batch.writer !== writerId) return false
    return true
  }

  /** Background work that fails while decisions go on. */
  function trouble(): string | undefined {
    return snapshotter.trouble() ?? replica.trouble() ?? rollback.chores()
  }

  async function close(): Promise<void> {
    deadlines.stop()
    await writer.close()
    await rollback.stop()
    await snapshotter.stop()
    await replica.close()
  }
}

async function startTerm(ports: Ports, writerId: string, now: () => number) {
  const { config, store, replica, log } = ports
  const isNew = replica.head().index === 0
  const anchorPlace = await anchorPlaceOf(config.anchor, ports.client)
  const accept = acceptCommand(config, ports.client?.namespace)
  const { mayFound, mayLead, open } = await openRollback({ store, anchorPlace, accept, log })
  await beginTerm({ journal: store.journal, replica, writerId, now, mayFound, mayLead })
  logOpened(log, replica, isNew)
  return open
}

/** A snapshot makes room; `trouble` says why it fails, if it does. */
function whyFull({ room }: Journal): string | undefined {
  const { left, of } = room?.() ?? { left: 1, of: 1 }
  if (left > of * ROOM_LEFT_MIN) return undefined
  return `The journal has room for ${left} more batches: a snapshot must be finished first.`
}

/** A failure is ignored: the requester's next call is noted instead. */
function noteHeard(writer: LedgerWriter) {
  const noted = () => {}
  return (requester: string) => void writer.submit({ kind: 'hear', requester }).then(noted, noted)
}

type Snapshotted = Pick<Parameters<typeof createSnapshotter>[0], 'now' | 'capture'>

function openSnapshotter({ config, store, replica }: Ports, { now, capture }: Snapshotted) {
  return createSnapshotter({
    journal: store.journal,
    capture,
    beforeFinish: async () => {
      await replica.keeper.flush()
      await store.secureHistory?.()
      await replica.noteBudget()
    },
    now,
    historyMs: config.historyMs,
    everyEvents: config.snapshotEvery,
    replayedEvents: replica.replayed.events,
    ...(store.chooseRungs && { choose: store.chooseRungs }),
  })
}

/** Part of every id that this term gives: five letters or digits of a DNS label. */
function newTerm(): string {
  return randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0')
}

function logOpened(log: Logger, { ledger, head, replayed }: Replica, isNew: boolean): void {
  const { events: replayedEvents, tookMs } = replayed
  const { ledgerId, liveCount: reservations } = ledger
  log.info(
    { ledger: ledgerId, index: head().index, reservations, replayedEvents, tookMs },
    isNew ? 'a new ledger was founded' : 'the ledger is back',
  )
}
