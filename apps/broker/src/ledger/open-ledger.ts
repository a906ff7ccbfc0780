import { randomBytes } from 'node:crypto'
import { createLedger, type LedgerEvent } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../config/index.ts'
import { createHistoryKeeper } from '../history/history-keeper.ts'
import { createPruner } from '../history/pruner.ts'
import { createRequestMemory } from '../history/request-memory.ts'
import { sealBatch } from '../journal/batch.ts'
import type { Head, Journal } from '../journal/journal.ts'
import { replay } from '../journal/replay.ts'
import { createSnapshotter } from '../journal/snapshotter.ts'
import type { SqliteStore } from '../journal/sqlite-journal.ts'
import { createBrokerClock } from './broker-clock.ts'
import { startDeadlineTimer } from './deadline-timer.ts'
import { ledgerSettings } from './ledger-settings.ts'
import { createLedgerWriter, type LedgerWriter, type WriterMeters } from './ledger-writer.ts'

type Ports = Readonly<{
  config: BrokerConfig
  store: Pick<SqliteStore, 'journal' | 'history'>
  meters: WriterMeters
  /** A request that nothing fitted: not journaled, but worth showing. */
  refused(refusal: Readonly<{ ranking: Ranking; at: number; index: number }>): void
  log: Logger
  crash(cause: Error): void
}>

export type OpenLedger = Awaited<ReturnType<typeof openLedger>>

/** From what is on disk to a ledger that decides: replay, found, and the chores that go with it. */
export async function openLedger({ config, store, meters, refused, log, crash }: Ports) {
  const { journal, history } = store
  const ledger = createLedger(ledgerSettings(config))
  const requests = createRequestMemory(history)
  /** Replay hands over what has ended before there is anybody to let memory forget it. */
  const opening = Promise.withResolvers<LedgerWriter>()
  const keeper = createHistoryKeeper({
    history,
    note: requests.note,
    forget: async (bygone) =>
      (await opening.promise).betweenCommits((books) => books.forget(bygone)),
    recordedThrough: await history.recordedThrough(),
  })
  const replayed = await replay({
    journal,
    ledger,
    onPart: keeper.takePart,
    onBatch: keeper.take,
  })
  const { now, skewMs } = createBrokerClock(Math.max(replayed.lastAt, ledger.lastAt))
  const writerId = `${process.pid}-${randomBytes(4).toString('hex')}`
  const founding = { journal, ledger, at: now(), writer: writerId }
  const head = replayed.head.index === 0 ? await found(founding) : replayed.head
  await requests.refresh()
  log.info(
    {
      ledger: ledger.ledgerId,
      index: head.index,
      reservations: ledger.liveCount,
      replayedEvents: replayed.events,
      tookMs: replayed.tookMs,
    },
    replayed.head.index === 0 ? 'a new ledger was founded' : 'the ledger is back',
  )

  const { recall } = requests
  const writer = createLedgerWriter({
    ...{ ledger, journal, head, writerId, now, recall, crash },
    meters: {
      ...meters,
      decided(outcome, tookMs) {
        meters.decided(outcome, tookMs)
        if (outcome.kind === 'refused')
          refused({ ranking: outcome.ranking, at: now(), index: writer.index() })
      },
    },
    // The history holds what memory wants to forget: without it memory would only grow.
    pressure: keeper.trouble,
  })
  opening.resolve(writer)
  writer.subscribe(keeper.take)
  const deadlines = startDeadlineTimer({ writer, now, nextDeadline: ledger.nextDeadline })
  const snapshotter = createSnapshotter({
    journal,
    capture: () => writer.betweenCommits((books, at) => ({ image: books.capture(), head: at })),
    flushHistory: keeper.flush,
    now,
    historyMs: config.historyMs,
    everyEvents: config.snapshotEvery,
  })
  writer.subscribe(snapshotter.take)
  const { historyMs } = config
  const pruner = createPruner({ history, now, historyMs, refresh: requests.refresh })

  const { decision } = keeper
  return { ledgerId: ledger.ledgerId, writer, decision, now, skewMs, heard, trouble, close }

  /** One that cannot be noted now is followed by another: nobody needs to hear of it. */
  function heard(requester: string): void {
    const noted = () => {}
    writer.submit({ kind: 'hear', requester }).then(noted, noted)
  }

  /** What is worth knowing though decisions go on: background work that fails. */
  function trouble(): string | undefined {
    return keeper.trouble() ?? snapshotter.trouble() ?? pruner.trouble()
  }

  async function close(): Promise<void> {
    deadlines.stop()
    await writer.close()
    await pruner.stop()
    await snapshotter.stop()
    await keeper.close()
  }
}

type Founding = Readonly<{
  journal: Journal
  ledger: ReturnType<typeof createLedger>
  at: number
  writer: string
}>

/** The first batch of a new ledger gives it its identity. */
async function found({ journal, ledger, at, writer }: Founding): Promise<Head> {
  const founded: LedgerEvent = { kind: 'founded', at, ledgerId: newLedgerId() }
  const batch = sealBatch({ index: 1, writer, previous: '', at, events: [founded] })
  const appended = await journal.append(batch)
  if (appended.kind !== 'committed')
    throw new Error('The new ledger could not be written.', {
      cause: appended.kind === 'unknown' ? appended.cause : appended.by,
    })
  ledger.apply(founded)
  return { index: 1, hash: batch.hash }
}

/** Letters and digits of a DNS label: the id's beginning becomes part of every reservation's. */
function newLedgerId(): string {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
}
