import type {
  ImagePart,
  LedgerEvent,
  Reservation,
  Bygone as SafeOnDisk,
} from '@bourse/domain/ledger'
import { isLive } from '@bourse/domain/ledger'
import type { Committed } from '../ledger/ledger-writer.ts'
import type { Bygone, DecisionRecord, History, Tombstone } from './history.ts'
import type { RequestScope } from './request-key.ts'

type Ports = Readonly<{
  history: History
  /** The filter must know an id before memory forgets it. */
  note(scopes: readonly RequestScope[]): Promise<void>
  /** Memory may let go of these; the writer runs it between two commits. */
  forget(bygone: SafeOnDisk): Promise<void>
}>

export type HistoryKeeper = {
  /** An after-commit reader; also for the batches of a replay, since writing again is harmless. */
  take(committed: Committed): void
  /** What a snapshot held of things that had ended, so that memory lets go of them again. */
  takePart(part: ImagePart): void
  /** Everything taken so far is on disk when this resolves: before a snapshot, and at the end. */
  flush(): Promise<void>
  /** Why the history lags behind; the writer should take nothing new while it lasts. */
  trouble(): string | undefined
  close(): Promise<void>
}

const FLUSH_MS = 1_000
/** Small enough that a commit behind it hardly waits. */
const ITEMS_PER_WRITE = 256
const FLUSH_AT = 2_000
/** Beyond this nothing new should be decided until the disk has caught up. */
const ITEMS_MAX = 50_000
const RETRY_MS = 1_000

type Item =
  | Readonly<{ kind: 'decision'; record: DecisionRecord }>
  | Readonly<{ kind: 'ended'; reservation: Reservation }>
  | Readonly<{ kind: 'tombstone'; tombstone: Tombstone }>

/** Moves what has been from memory to disk, after the commit and off its path. */
export function createHistoryKeeper({ history, note, forget }: Ports): HistoryKeeper {
  const waiting: Item[] = []
  const draining = new Set<string>()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let failure: string | undefined
  let isClosed = false

  return { take, takePart, flush, trouble, close }

  function take({ index, events }: Committed): void {
    for (const event of events) waiting.push(...itemsOf(event, index))
    schedule()
  }

  function takePart(part: ImagePart): void {
    if (part.kind === 'draining') for (const { id } of part.draining) draining.add(id)
    waiting.push(...itemsOfPart(part, draining))
    schedule()
  }

  function schedule(): void {
    if (waiting.length >= FLUSH_AT) void flush()
    else if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

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
      failure = await writeSome(items)
      if (failure === undefined) waiting.splice(0, items.length)
      // Nothing is lost by leaving: no snapshot was finished, so the journal still has all of it.
      else if (isClosed) return
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Writing again is harmless, so whatever fails is simply tried again: says why, if it did. */
  async function writeSome(items: readonly Item[]): Promise<string | undefined> {
    const bygone = bygoneOf(items)
    try {
      await history.record(bygone)
      await note([...bygone.ended.flatMap(scopeOf), ...bygone.tombstones])
      await forget({ ended: bygone.ended.map(({ id }) => id), tombstones: bygone.tombstones })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

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

function itemsOf(event: LedgerEvent, index: number): readonly Item[] {
  switch (event.kind) {
    case 'reserved':
      return [{ kind: 'decision', record: decisionOf(event, index) }]
    case 'released':
      return event.draining ? [] : [{ kind: 'ended', reservation: event.reservation }]
    case 'drained':
      // Several providers may still hold it: then memory keeps it until the last of these.
      return [{ kind: 'ended', reservation: event.reservation }]
    case 'tombstoned': {
      const { door, requester, requestId, at } = event
      return [{ kind: 'tombstone', tombstone: { door, requester, requestId, at } }]
    }
    default:
      return []
  }
}

function itemsOfPart(part: ImagePart, draining: ReadonlySet<string>): readonly Item[] {
  if (part.kind === 'tombstones')
    return part.tombstones.map((tombstone) => ({ kind: 'tombstone', tombstone }))
  if (part.kind !== 'reservations') return []
  return part.reservations
    .filter(({ id, phase }) => !isLive(phase) && !draining.has(id))
    .map((reservation) => ({ kind: 'ended', reservation }))
}

type Reserved = Extract<LedgerEvent, { kind: 'reserved' }>

function decisionOf({ at, reservation, decision }: Reserved, index: number): DecisionRecord {
  const { id: reservationId, requester, wanted, pinned } = reservation
  const request = { requester, wanted, ...(pinned !== undefined && { pinned }) }
  return { reservationId, index, at, request, decision }
}

function bygoneOf(items: readonly Item[]): Bygone {
  return {
    decisions: items.flatMap((item) => (item.kind === 'decision' ? [item.record] : [])),
    ended: items.flatMap((item) => (item.kind === 'ended' ? [item.reservation] : [])),
    tombstones: items.flatMap((item) => (item.kind === 'tombstone' ? [item.tombstone] : [])),
  }
}

function scopeOf({ door, requester, requestId }: Reservation): readonly RequestScope[] {
  return requestId === undefined ? [] : [{ door, requester, requestId }]
}
