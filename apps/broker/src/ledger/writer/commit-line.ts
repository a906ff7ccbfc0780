import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { sealBatch } from '../../store/codec/batch.ts'
import type { Head, Journal, SealedBatch } from '../../store/port/journal.ts'

/** One durable batch, as subscribers (metrics, audit, history, streams) get it. */
export type Committed = Readonly<{
  /** Its place in the journal: one more than that of the batch before. */
  index: number
  /** When it was sealed, by the broker's clock: never before the batch before. */
  at: number
  /** In the order of the decisions; never empty for a subscriber. */
  events: readonly LedgerEvent[]
}>

/** A batch that was just committed, with its text in the journal. */
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

/** Called while it is unknown whether a batch is in the journal. */
type UnknownCommit = Readonly<{
  unknown(reason: string): void
  /** It is unknown for longer than callers wait. */
  timedOut(): void
  settled(): void
}>

const RESEND_FIRST_MS = 50
const RESEND_MAX_MS = 1_000
/** How long callers wait for an unknown commit before they are told to try again. */
const UNKNOWN_TIMEOUT_MS = 5_000

/** Appends one batch after the other to the journal, each chained to the one before. */
export function createCommitLine(ports: Ports) {
  const { journal, writerId, now, meters } = ports
  const { batchCharactersMax = Number.POSITIVE_INFINITY } = journal
  /** The last batch that is committed; `tail` is the last one that is sealed. */
  let head = ports.head
  let tail = ports.head

  return { head: () => head, nextIndex: () => tail.index + 1, commit }

  /** Sends the bytes before it returns; resolves when the journal has all of them. */
  async function commit(events: readonly LedgerEvent[], on: UnknownCommit): Promise<void> {
    for (const { batch, at, events: sealed } of seal(events)) {
      const startedAt = performance.now()
      await settle(batch, on)
      meters.committed(sealed.length, performance.now() - startedAt)
      head = { index: batch.index, hash: batch.hash }
      ports.committed({ index: batch.index, at, events: sealed, text: batch.text })
    }
  }

  /**
   * One batch, or several if the store limits their size. A crash between them keeps the first ones
   * only; that is safe, as each event is complete by itself and no caller was answered.
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

  /** Resends the identical bytes until the journal says who owns this index. */
  async function settle(batch: SealedBatch, on: UnknownCommit): Promise<void> {
    let resendMs = RESEND_FIRST_MS
    for (const startedAt = performance.now(); ; ) {
      const appended = await journal.append(batch)
      if (appended.kind === 'committed') break
      meters.unsettled(appended.kind)
      if (appended.kind === 'fenced')
        throw new Error(`Another writer (${appended.by}) owns the journal at index ${batch.index}.`)
      on.unknown(`The journal cannot commit: ${appended.cause.message.replace(/\.$/, '')}.`)
      if (performance.now() - startedAt > UNKNOWN_TIMEOUT_MS) on.timedOut()
      await sleep(resendMs)
      resendMs = Math.min(2 * resendMs, RESEND_MAX_MS)
    }
    on.settled()
  }
}

type Sealed = Readonly<{ batch: SealedBatch; at: number; events: readonly LedgerEvent[] }>
