import type { Ledger } from '@bourse/domain/ledger'
import type { DecisionRecord } from '../history/history.ts'
import { NO_HEAD, openBatch } from './batch.ts'
import { CompactedAway, type Head, type Journal, type SealedBatch } from './journal.ts'
import { loadSnapshot } from './replay.ts'

type Ports = Readonly<{
  journal: Pick<Journal, 'latestSnapshot' | 'read'>
  ledger: Ledger
  record: DecisionRecord
}>

/** Brings an empty ledger to the moment just before a decision; false: the journal forgot it. */
export async function rewind(ports: Ports): Promise<boolean> {
  return replayTo(ports).catch((thrown: unknown) => {
    if (thrown instanceof CompactedAway) return false
    throw thrown
  })
}

async function replayTo({ journal, ledger, record }: Ports): Promise<boolean> {
  const { index, reservationId } = record
  const loaded = await loadSnapshot({ journal, ledger }, index - 1)
  let before: Head = loaded.parts === 0 ? NO_HEAD : loaded.head
  for await (const sealed of journal.read(before.index + 1)) {
    const isReached = applyUntil(ledger, { sealed, before, reservationId })
    if (isReached || sealed.index >= index) return isReached
    before = { index: sealed.index, hash: sealed.hash }
  }
  return false
}

type Step = Readonly<{ sealed: SealedBatch; before: Head; reservationId: string }>

function applyUntil(ledger: Ledger, { sealed, before, reservationId }: Step): boolean {
  const { events } = openBatch(sealed, before)
  for (const event of events) {
    if (event.kind === 'reserved' && event.reservation.id === reservationId) return true
    ledger.apply(event)
  }
  return false
}
