import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import type { Ranking } from '@bourse/domain/placement'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../../config/index.ts'
import { anchorPlaceOf } from '../../rollback/anchor-place.ts'
import { openRollback } from '../../rollback/open-guard.ts'
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
import type { Books } from './open-books.ts'

type Ports = Readonly<{
  config: BrokerConfig
  store: Store
  books: Books
  /** Absent: nothing here needs an API server. */
  client?: KubeClient | undefined
  /** Why we must not decide though we were elected; undefined while we may. */
  whyNotLeading(): string | undefined
  meters: WriterMeters
  /** A request that nothing fitted: not journaled, but worth showing. */
  refused(refusal: Readonly<{ ranking: Ranking; at: number; index: number }>): void
  /** The store was found to be an older copy of its ledger. */
  rolledBack(): void
  log: Logger
  crash(cause: Error): void
}>

export type OpenLedger = Awaited<ReturnType<typeof openLedger>>

/** A journal that has no more room than this share needs its snapshot before anything else. */
const ROOM_LEFT_MIN = 1 / 8

/** From books that are up to date to a ledger that decides, and the chores that go with it. */
export async function openLedger(ports: Ports) {
  const { config, store, books, meters, refused, log, crash } = ports
  const { journal } = store
  const { ledger, keeper, requests } = books
  let clock = createBrokerClock(books.lastAt())
  const now = () => clock.now()
  const term = newTerm()
  const writerId = `${hostname()}-${process.pid}-${term}`
  const snapshotter = createSnapshotter({
    journal,
    capture: () => capture(),
    beforeFinish: async () => {
      await keeper.flush()
      await store.secureHistory?.()
      await books.noteBudget()
    },
    now,
    historyMs: config.historyMs,
    everyEvents: config.snapshotEvery,
    replayedEvents: books.replayed.events,
    ...(store.chooseRungs && { choose: store.chooseRungs }),
  })
  let capture = async () => ({ image: ledger.capture(), head: books.head() })
  if (cramped() !== undefined) await snapshotter.run()
  const isNew = books.head().index === 0
  const anchorPlace = await anchorPlaceOf(config.anchor, ports.client)
  const { mayFound, mayLead, open } = await openRollback({ store, anchorPlace, log })
  await beginTerm({ journal, books, writerId, now, mayFound, mayLead })
  // Whoever led before may have had a clock that was ahead of ours.
  clock = createBrokerClock(Math.max(now(), books.lastAt()))
  logOpened(log, books, isNew)

  let head = books.head
  const { ledgerId } = ledger
  const watched = { ledgerId, head: () => head(), isStillOurs, onAccepted: crash }
  const rollback = await open({ ...watched, onRollback: ports.rolledBack })

  const { recall } = requests
  const writer: LedgerWriter = createLedgerWriter({
    ...{ ledger, journal, head: books.head(), writerId, term, now, recall, crash },
    meters: {
      ...meters,
      decided(outcome, tookMs) {
        meters.decided(outcome, tookMs)
        if (outcome.kind === 'refused')
          refused({ ranking: outcome.ranking, at: now(), index: writer.index() })
      },
    },
    whyNotLeading: ports.whyNotLeading,
    halted: (reason) => log.error(`${reason} Nothing is decided until it can: trying again.`),
    resumed: () => log.info('the journal commits again: decisions go on'),
    // The history holds what memory wants to forget: without it memory would only grow.
    pressure: () => ports.whyNotLeading() ?? rollback.trouble() ?? keeper.trouble() ?? cramped(),
  })
  head = writer.head
  writer.subscribe(rollback.committed)
  books.lendTo(writer, now)
  capture = () => writer.betweenCommits((held, at) => ({ image: held.capture(), head: at }))
  writer.subscribe(keeper.take)
  writer.subscribe(books.budget.follow)
  const deadlines = startDeadlineTimer({ writer, now, nextDeadline: ledger.nextDeadline })
  writer.subscribe(snapshotter.take)

  const { decision } = keeper
  const { skewMs } = clock
  return {
    ...{ ledgerId, term, writer, rollback, decision, now, skewMs, heard, trouble },
    isStillOurs,
    close,
  }

  /** Whether nobody else has written since: asked when a lost lease comes back to us. */
  async function isStillOurs(): Promise<boolean> {
    for await (const batch of journal.read(writer.index() + 1))
      if (batch.writer !== writerId) return false
    return true
  }

  /** The snapshot that would make room is under way, or fails: the chore says why. */
  function cramped(): string | undefined {
    const { left, of } = journal.room?.() ?? { left: 1, of: 1 }
    if (left > of * ROOM_LEFT_MIN) return undefined
    return `The journal has room for ${left} more batches: a snapshot has to be finished first.`
  }

  /** One that cannot be noted now is followed by another: nobody needs to hear of it. */
  function heard(requester: string): void {
    const noted = () => {}
    writer.submit({ kind: 'hear', requester }).then(noted, noted)
  }

  /** What is worth knowing though decisions go on: background work that fails. */
  function trouble(): string | undefined {
    return snapshotter.trouble() ?? books.trouble() ?? rollback.chores()
  }

  async function close(): Promise<void> {
    deadlines.stop()
    await writer.close()
    await rollback.stop()
    await snapshotter.stop()
    await books.close()
  }
}

/** Part of every id that this start gives: five letters or digits of a DNS label. */
function newTerm(): string {
  return randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0')
}

function logOpened(log: Logger, { ledger, head, replayed }: Books, isNew: boolean): void {
  const { events: replayedEvents, tookMs } = replayed
  const { ledgerId, liveCount: reservations } = ledger
  log.info(
    { ledger: ledgerId, index: head().index, reservations, replayedEvents, tookMs },
    isNew ? 'a new ledger was founded' : 'the ledger is back',
  )
}
