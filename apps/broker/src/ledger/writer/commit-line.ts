import type { LedgerEvent } from '@bourse/domain/ledger'
import { sealBatch } from '../../store/codec/batch.ts'
import type { Head, Journal, SealedBatch } from '../../store/port/journal.ts'

/** One durable batch, as after-commit readers (metrics, audit, history, streams) see it. */
export type Committed = Readonly<{
  index: number
  at: number
  events: readonly LedgerEvent[]
}>

/** The same, when it has just been written: with what the journal has of it. */
export type Published = Committed & Readonly<{ text: string }>

export type CommitMeters = {
  committed(eventCount: number, tookMs: number): void
  unsettled(outcome: 'fenced' | 'unknown'): void
}

type Ports = Readonly<{
  journal: Journal
  head: Head
  writerId: string
  now(): number
  meters: CommitMeters
  /** Called for each batch, in order. */
  committed(batch: Published): void
}>

/** What happens while nobody can say whether a batch is in the journal. */
type Doubt = Readonly<{
  unknown(reason: string): void
  /** It has lasted for longer than a caller should wait. */
  outlasted(): void
  settled(): void
}>

const RESEND_FIRST_MS = 50
const RESEND_MAX_MS = 1_000
/** How long a caller waits for an unknown commit to be settled before it is told to ask again. */
const PATIENCE_MS = 5_000

/** The way into the journal: one batch after the other, each chained to the one before. */
export function createCommitLine(ports: Ports) {
  const { journal, writerId, now, meters } = ports
  const { batchCharactersMax = Number.POSITIVE_INFINITY } = journal
  /** What is committed, and what has been sealed and is on its way. */
  let head = ports.head
  let tail = ports.head

  return { head: () => head, nextIndex: () => tail.index + 1, commit }

  /** The bytes are on their way when this returns; settled once the journal has all of them. */
  async function commit(events: readonly LedgerEvent[], doubt: Doubt): Promise<void> {
    for (const { batch, at, events: sealed } of seal(events)) {
      const startedAt = performance.now()
      await settle(batch, doubt)
      meters.committed(sealed.length, performance.now() - startedAt)
      head = { index: batch.index, hash: batch.hash }
      ports.committed({ index: batch.index, at, events: sealed, text: batch.text })
    }
  }

  /**
   * One batch, or several where the store's are small: then a kill in between keeps a beginning of
   * what was decided, each event of which stands by itself, and nobody has been told of any.
   */
  function seal(events: readonly LedgerEvent[]): readonly Sealed[] {
    const at = now()
    const place = { index: tail.index + 1, writer: writerId, previous: tail.hash }
    const batch = sealBatch({ ...place, at, events })
    if (batch.text.length > batchCharactersMax && events.length > 1) {
      const middle = Math.ceil(events.length / 2)
      return [...seal(events.slice(0, middle)), ...seal(events.slice(middle))]
    }
    tail = { index: batch.index, hash: batch.hash }
    return [{ batch, at, events }]
  }

  /** Sends the identical bytes until somebody can say whose this index is. */
  async function settle(batch: SealedBatch, doubt: Doubt): Promise<void> {
    let resendMs = RESEND_FIRST_MS
    for (const startedAt = performance.now(); ; ) {
      const appended = await journal.append(batch)
      if (appended.kind === 'committed') break
      meters.unsettled(appended.kind)
      if (appended.kind === 'fenced')
        throw new Error(`Another writer (${appended.by}) owns the journal at index ${batch.index}.`)
      doubt.unknown(`The journal cannot commit: ${appended.cause.message.replace(/\.$/, '')}.`)
      if (performance.now() - startedAt > PATIENCE_MS) doubt.outlasted()
      await sleep(resendMs)
      resendMs = Math.min(2 * resendMs, RESEND_MAX_MS)
    }
    doubt.settled()
  }
}

type Sealed = Readonly<{ batch: SealedBatch; at: number; events: readonly LedgerEvent[] }>

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
