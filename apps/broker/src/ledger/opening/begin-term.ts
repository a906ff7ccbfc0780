import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { sealBatch } from '../../store/codec/batch.ts'
import type { Appended, Head, Journal, SealedBatch } from '../../store/port/journal.ts'
import type { Replica } from './open-replica.ts'

type Ports = Readonly<{
  journal: Pick<Journal, 'append' | 'follow'>
  replica: Pick<Replica, 'head' | 'take' | 'catchUp'> & Readonly<{ ledger: { ledgerId: string } }>
  writerId: string
  now(): number
  /** Throws if the store held a ledger before. */
  mayFound(): Promise<void>
  /** Throws if the journal has lost batches that the replica has read. */
  mayLead(read: Readonly<{ ledgerId: string; head: Head }>): Promise<void>
}>

/** The last leader may land this many commits between our reading and our writing. */
const OVERTAKEN_MAX = 100
const RESENDS_MAX = 60
const RESEND_MS = 500

/**
 * Founds a new ledger. In a shared store, a term begins with an empty batch: it fences every
 * earlier leader, so the replica is complete once it is committed.
 */
export async function beginTerm(ports: Ports): Promise<void> {
  const { journal, replica, writerId, now, mayFound, mayLead } = ports
  if (journal.follow) {
    await replica.catchUp()
    await mayLead({ ledgerId: replica.ledger.ledgerId, head: replica.head() })
  }
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
    const { index, hash } = replica.head()
    if (index > 0 && !journal.follow) return
    if (index === 0) await mayFound()
    const at = now()
    const events = index > 0 ? [] : [foundedAt(at)]
    const batch = sealBatch({ index: index + 1, writer: writerId, previous: hash, at, events })
    const appended = await settle(journal, batch)
    if (appended.kind === 'committed') return replica.take(batch)
    if (appended.kind === 'unknown')
      throw new Error('The journal cannot be written.', { cause: appended.cause })
    await replica.catchUp()
  }
  throw new Error('Another broker writes to this journal: start this one with --leader-elect.')
}

/** Resends the same bytes until the outcome is known: other bytes could fork the journal. */
async function settle(journal: Pick<Journal, 'append'>, batch: SealedBatch): Promise<Appended> {
  let appended = await journal.append(batch)
  for (let resends = 0; appended.kind === 'unknown' && resends < RESENDS_MAX; resends++) {
    await sleep(RESEND_MS)
    appended = await journal.append(batch)
  }
  return appended
}

const foundedAt = (at: number): LedgerEvent => ({ kind: 'founded', at, ledgerId: newLedgerId() })

/** Letters and digits of a DNS label: every reservation id begins with a part of it. */
export function newLedgerId(): string {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
}
