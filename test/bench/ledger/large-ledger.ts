import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImagePart, LedgerEvent, Reservation } from '@bourse/domain/ledger'
import { NO_HEAD, sealBatch } from '../../../apps/broker/src/store/codec/batch.ts'
import { encodePart } from '../../../apps/broker/src/store/codec/image-codec.ts'
import type { History } from '../../../apps/broker/src/store/port/history.ts'
import type { Head, Journal } from '../../../apps/broker/src/store/port/journal.ts'
import { openSqliteStore } from '../../../apps/broker/src/store/sqlite/sqlite-store.ts'
import type { Stage } from '../harness/benchmark.ts'
import { aCluster, aDecision, anAdvertisement, aReservation, LEDGER_ID } from './ledger-values.ts'

/** What is in the ledger that restarts and snapshots are measured on. */
type Size = Readonly<{ live: number; tailEvents: number }>
type Contents = Readonly<{ size: Size; at: number }>

const FULL: Size = { live: 1_000_000, tailEvents: 100_000 }
const QUICK: Size = { live: 50_000, tailEvents: 5_000 }
const CLUSTERS = 1_000
const PART_SIZE = 1_000
/** As large as batches are under load. */
const EVENTS_PER_BATCH = 64
const BATCHES_A_SECOND = 50
const HISTORY_PER_WRITE = 2_000

/** A copy of the large ledger, built once a run with the journal's own means, to start from. */
export async function copyLargeLedger({ workDir, pace }: Stage, name: string): Promise<string> {
  const original = join(workDir, 'large-ledger')
  if (!existsSync(original)) await build(original, pace.isQuick ? QUICK : FULL)
  const copy = join(workDir, name)
  await cp(original, copy, { recursive: true })
  return copy
}

async function build(dataDir: string, size: Size): Promise<void> {
  const crash = (cause: Error) => {
    throw cause
  }
  const store = await openSqliteStore({ dataDir, crash })
  const at = Date.now()
  const founded: LedgerEvent = { kind: 'founded', at, ledgerId: LEDGER_ID }
  const head = await append(store.journal, NO_HEAD, [founded])
  await writeSnapshot(store.journal, head, imageParts(size.live, at))
  await writeDecisions(store.history, size, at)
  await writeTail(store, head, { size, at })
  await store.close()
}

async function append(journal: Journal, before: Head, events: readonly LedgerEvent[]) {
  const { index, hash: previous } = before
  const batch = sealBatch({ index: index + 1, writer: 'bench', previous, at: Date.now(), events })
  const appended = await journal.append(batch)
  if (appended.kind !== 'committed') throw new Error(`A batch ended as ${appended.kind}.`)
  return { index: batch.index, hash: batch.hash }
}

async function writeSnapshot(journal: Journal, head: Head, parts: Iterable<ImagePart>) {
  const sink = await journal.beginSnapshot(head)
  for (const part of parts) await sink.write(encodePart(part))
  await sink.finish()
}

type Store = Readonly<{ journal: Journal; history: History }>

/** The history lacks only the last second, as after a kill. */
async function writeTail({ journal, history }: Store, head: Head, { size, at }: Contents) {
  const recorded = Math.floor(size.tailEvents / EVENTS_PER_BATCH) - BATCHES_A_SECOND
  let last = head
  for (const events of inGroups(tailEvents(size, at), EVENTS_PER_BATCH)) {
    last = await append(journal, last, events)
    if (last.index <= recorded) await history.record(recordOf(events, last.index))
  }
}

function recordOf(events: readonly LedgerEvent[], through: number) {
  const decisions = events.flatMap((event) =>
    event.kind === 'reserved' ? [decisionOn(event.reservation, through)] : [],
  )
  const ended = events.flatMap((event) => (event.kind === 'released' ? [event.reservation] : []))
  return { through, decisions, ended, tombstones: [] }
}

function decisionOn({ id, requester, wanted, createdAt }: Reservation, index: number) {
  const decision = aDecision(createdAt)
  return { reservationId: id, index, at: createdAt, request: { requester, wanted }, decision }
}

/** A million reservations do not fit into memory twice: they are made a part at a time. */
function* imageParts(live: number, at: number): Generator<ImagePart> {
  yield { kind: 'header', ledgerId: LEDGER_ID, lastNumber: live, lastAt: at }
  const clusters = Array.from({ length: CLUSTERS }, (_, number) => ({
    cluster: aCluster(number, at),
    advertisedAt: at,
  }))
  yield { kind: 'clusters', clusters }
  for (let from = 1; from <= live; from += PART_SIZE) {
    const reservations = Array.from({ length: PART_SIZE }, (_, nth) => aReservation(from + nth, at))
    yield { kind: 'reservations', reservations }
  }
}

/** Of ten events six reserve, three release and one is an advertisement that changed. */
function* tailEvents({ live, tailEvents }: Size, at: number): Generator<LedgerEvent> {
  let made = live
  let released = 0
  for (let nth = 0; nth < tailEvents; nth += 1) {
    if (nth % 10 < 6) {
      made += 1
      yield { kind: 'reserved', at, reservation: aReservation(made, at), decision: aDecision(made) }
    } else if (nth % 10 < 9) {
      released += 1
      yield releaseOf(released, at)
    } else {
      const advertisement = { ...anAdvertisement(nth), clusterName: `Changed ${nth}` }
      const clusterId = `provider-${nth % CLUSTERS}`
      yield { kind: 'advertised', at, clusterId, door: 'rest', advertisement }
    }
  }
}

function releaseOf(number: number, at: number): LedgerEvent {
  const ended = { phase: 'Released', endedAt: at, reason: 'Released' } as const
  const reservation = { ...aReservation(number, at), ...ended }
  return { kind: 'released', at, reservation, reason: 'Released', draining: false }
}

/** Why each of the live ones was decided as it was. */
async function writeDecisions(history: History, size: Size, at: number): Promise<void> {
  for (const numbers of inGroups(upTo(size.live), HISTORY_PER_WRITE)) {
    const decisions = numbers.map((number) => decisionOn(aReservation(number, at), 1))
    await history.record({ through: 1, decisions, ended: [], tombstones: [] })
  }
}

function* upTo(count: number): Generator<number> {
  for (let number = 1; number <= count; number += 1) yield number
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
