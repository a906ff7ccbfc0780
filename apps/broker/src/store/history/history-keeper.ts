import type { ImagePart, LedgerEvent, Reservation, SafeOnDisk } from '@bourse/domain/ledger'
import { isLive } from '@bourse/domain/ledger'
import type { Committed } from '../../ledger/writer/ledger-writer.ts'
import { decisionOf, endedBy } from '../codec/batch-grounds.ts'
import type { RequestScope } from '../codec/request-key.ts'
import type { Decided, DecisionRecord, History, HistoryBatch, Tombstone } from '../port/history.ts'

type Ports = Readonly<{
  history: History
  /** The filter must know an id before memory forgets it. */
  note(scopes: readonly RequestScope[]): Promise<void>
  /** Memory forgets these: they are in the history. The writer runs it between two commits. */
  forget(batch: SafeOnDisk): Promise<void>
  /** Where the history ended at the start: up to there a replay only makes memory forget. */
  recordedThrough: number
}>

const FLUSH_MS = 1_000
/** Small enough that a commit behind it hardly waits. */
const ITEMS_PER_WRITE = 256
const FLUSH_AT = 2_000
/** Beyond this, which is more than a replay brings, nothing new should be decided for a while. */
const ITEMS_MAX = 150_000
const RETRY_MS = 1_000

/** Something that has been: the batch that ended it, and whether the disk already has it. */
type Item = Fact & Readonly<{ index: number; isRecorded: boolean }>
type Fact =
  | Readonly<{ kind: 'decision'; record: DecisionRecord }>
  | Readonly<{ kind: 'ended'; reservation: Reservation }>
  | Readonly<{ kind: 'tombstone'; tombstone: Tombstone }>

/** Moves what has been from memory to disk, after the commit and off its path. */
export function createHistoryKeeper(ports: Ports) {
  const { history, note, forget, recordedThrough } = ports
  const waiting: Item[] = []
  const draining = new Set<string>()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let failure: string | undefined
  let isClosed = false
  let lastIndex = 0

  return { take, takePart, decision, flush, trouble, close }

  /** The grounds of a decision, also while they are on their way to the disk. */
  function decision(reservation: Decided): Promise<DecisionRecord | undefined> {
    for (const item of waiting)
      if (item.kind === 'decision' && item.record.reservationId === reservation.id)
        return Promise.resolve(item.record)
    return history.decision(reservation)
  }

  /** An after-commit reader; also for the batches of a replay, since writing again is harmless. */
  function take({ index, events }: Committed): void {
    const isRecorded = index <= recordedThrough
    for (const event of events) {
      if (event.kind === 'reserved' && history.findsDecisionsInJournal) continue
      for (const fact of factsOf(event, index)) waiting.push({ ...fact, index, isRecorded })
    }
    lastIndex = index
    schedule()
  }

  /** What a snapshot held of things that had ended, so that memory lets go of them again. */
  function takePart(part: ImagePart): void {
    if (part.kind === 'draining') for (const { id } of part.draining) draining.add(id)
    // A snapshot is finished only when the history has everything up to it.
    for (const fact of factsOfPart(part, draining))
      waiting.push({ ...fact, index: 0, isRecorded: true })
    schedule()
  }

  function schedule(): void {
    if (waiting.length >= FLUSH_AT) void flush()
    else if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

  /** Everything taken so far is on disk when this resolves: before a snapshot, and at the end. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const items = waiting.slice(0, ITEMS_PER_WRITE)
      const next = waiting[items.length]
      failure = await writeSome(items, next ? next.index - 1 : lastIndex)
      if (failure === undefined) waiting.splice(0, items.length)
      // Nothing is lost by leaving: no snapshot was finished, so the journal still has all of it.
      else if (isClosed) return
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Writing again is harmless, so a failure is tried again; returns the reason if it failed. */
  async function writeSome(items: readonly Item[], through: number): Promise<string | undefined> {
    const { ended, tombstones } = historyBatchOf(items)
    const fresh = items.filter((item) => !item.isRecorded)
    try {
      if (fresh.length > 0) await history.record({ through, ...historyBatchOf(fresh) })
      await note([...ended.flatMap(scopeOf), ...tombstones])
      await forget({ ended: ended.map(({ id }) => id), tombstones })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Why the history lags behind; the writer should take nothing new while it lasts. */
  function trouble(): string | undefined {
    if (waiting.length < ITEMS_MAX) return undefined
    const cause = failure === undefined ? 'the disk is slow' : failure
    return `The history on disk is ${waiting.length} entries behind: ${cause}`
  }

  async function close(): Promise<void> {
    isClosed = true
    await flush()
  }
}

function factsOf(event: LedgerEvent, index: number): readonly Fact[] {
  if (event.kind === 'reserved') return [{ kind: 'decision', record: decisionOf(event, index) }]
  if (event.kind === 'tombstoned') {
    const { door, requester, requestId, at } = event
    return [{ kind: 'tombstone', tombstone: { door, requester, requestId, at } }]
  }
  const reservation = endedBy(event)
  return reservation ? [{ kind: 'ended', reservation }] : []
}

function factsOfPart(part: ImagePart, draining: ReadonlySet<string>): readonly Fact[] {
  if (part.kind === 'tombstones')
    return part.tombstones.map((tombstone) => ({ kind: 'tombstone', tombstone }))
  if (part.kind !== 'reservations') return []
  return part.reservations
    .filter(({ id, phase }) => !isLive(phase) && !draining.has(id))
    .map((reservation) => ({ kind: 'ended', reservation }))
}

function historyBatchOf(items: readonly Item[]): Omit<HistoryBatch, 'through'> {
  return {
    decisions: items.flatMap((item) => (item.kind === 'decision' ? [item.record] : [])),
    ended: items.flatMap((item) => (item.kind === 'ended' ? [item.reservation] : [])),
    tombstones: items.flatMap((item) => (item.kind === 'tombstone' ? [item.tombstone] : [])),
  }
}

function scopeOf({ door, requester, requestId }: Reservation): readonly RequestScope[] {
  return requestId === undefined ? [] : [{ door, requester, requestId }]
}
