import { randomBytes } from 'node:crypto'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { sealBatch } from '../../store/codec/batch.ts'
import type { Appended, Head, Journal, SealedBatch } from '../../store/port/journal.ts'
import type { Books } from './open-books.ts'

type Ports = Readonly<{
  journal: Pick<Journal, 'append' | 'follow'>
  books: Pick<Books, 'head' | 'take' | 'catchUp'> & Readonly<{ ledger: { ledgerId: string } }>
  writerId: string
  now(): number
  /** Throws where a ledger was before. */
  mayFound(): Promise<void>
  /** Throws where the journal has lost what the books were read from. */
  mayLead(read: Readonly<{ ledgerId: string; head: Head }>): Promise<void>
}>

/** Whoever led before may still land this many commits between our reading and our writing. */
const OVERTAKEN_MAX = 100
const RESENDS_MAX = 60
const RESEND_MS = 500

/**
 * Founds an empty ledger. In a store that others may write to, the first batch of a term is an
 * empty one: from then on nobody who led before can commit, and what we read is all there is.
 */
export async function beginTerm({
  journal,
  books,
  writerId,
  now,
  mayFound,
  mayLead,
}: Ports): Promise<void> {
  if (journal.follow) {
    await books.catchUp()
    await mayLead({ ledgerId: books.ledger.ledgerId, head: books.head() })
  }
  for (let overtaken = 0; overtaken < OVERTAKEN_MAX; overtaken++) {
    const { index, hash } = books.head()
    if (index > 0 && !journal.follow) return
    if (index === 0) await mayFound()
    const at = now()
    const events = index > 0 ? [] : [foundedAt(at)]
    const batch = sealBatch({ index: index + 1, writer: writerId, previous: hash, at, events })
    const appended = await settle(journal, batch)
    if (appended.kind === 'committed') return books.take(batch)
    if (appended.kind === 'unknown')
      throw new Error('The journal cannot be written.', { cause: appended.cause })
    await books.catchUp()
  }
  throw new Error('Another broker writes to this journal: start this one with --leader-elect.')
}

/** Never other bytes at that index before it is known what became of these. */
async function settle(journal: Pick<Journal, 'append'>, batch: SealedBatch): Promise<Appended> {
  let appended = await journal.append(batch)
  for (let resends = 0; appended.kind === 'unknown' && resends < RESENDS_MAX; resends++) {
    await new Promise((resolve) => setTimeout(resolve, RESEND_MS))
    appended = await journal.append(batch)
  }
  return appended
}

const foundedAt = (at: number): LedgerEvent => ({ kind: 'founded', at, ledgerId: newLedgerId() })

/** Letters and digits of a DNS label: the id's beginning becomes part of every reservation's. */
export function newLedgerId(): string {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
}
