import { userInfo } from 'node:os'
import { actorText, type LedgerEvent } from '@bourse/domain/ledger'
import { sealBatch } from '../codec/batch.ts'
import { appendOrThrow, type Head, type Journal } from '../port/journal.ts'

type Founding = Readonly<{
  head: Head
  /** The ledger that this journal is of until now. */
  from: string
  ledgerId: string
  at: number
  writer: string
}>

/** Gives what a journal holds to a new ledger: agents must not take it for the one they knew. */
export async function foundAnew(
  journal: Pick<Journal, 'append'>,
  { head, from, ledgerId, at, writer }: Founding,
): Promise<Head> {
  const by = actorText({ kind: 'operator', id: userName(), door: writer })
  const event: LedgerEvent = { kind: 'founded', at, ledgerId, restoredFrom: from, by }
  const place = { index: head.index + 1, writer, previous: head.hash }
  const batch = sealBatch({ ...place, at, events: [event] })
  await appendOrThrow(journal, batch)
  return { index: batch.index, hash: batch.hash }
}

/** The account that runs the command. A container may have a number for it, and no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch (fault) {
    if (fault instanceof Error && 'syscall' in fault) return `uid ${process.getuid?.()}`
    throw fault
  }
}
