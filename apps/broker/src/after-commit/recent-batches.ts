import type { Logger } from 'pino'
import { verifyBatch } from '../store/codec/batch.ts'
import { CompactedAway, type Journal, type SealedBatch } from '../store/port/journal.ts'
import { CHARACTERS_MAX } from './event-ring.ts'

type Ports = Readonly<{ journal: Pick<Journal, 'read'>; log: Pick<Logger, 'warn'> }>

/** Read at a start, so that streams and the page go on where they were. */
const BATCHES_MAX = 500

/**
 * The last batches up to an index, as far as the journal still has them. The ledger does not need
 * them: where they cannot be read, there are none.
 */
export async function recentBatches(
  through: number,
  { journal, log }: Ports,
): Promise<readonly SealedBatch[]> {
  const from = Math.max(1, through - BATCHES_MAX + 1)
  try {
    return await readThrough(journal, from, through).catch((thrown: unknown) => {
      if (thrown instanceof CompactedAway) return readThrough(journal, thrown.floor + 1, through)
      throw thrown
    })
  } catch (err) {
    log.warn({ err }, 'events of before the start cannot be read, and are not shown')
    return []
  }
}

async function readThrough(journal: Ports['journal'], from: number, through: number) {
  const batches: SealedBatch[] = []
  let characters = 0
  if (from > through) return batches
  for await (const batch of journal.read(from)) {
    if (batch.index > through) break
    verifyBatch(batch, { index: batch.index - 1, hash: batch.previous })
    batches.push(batch)
    characters += batch.text.length
    // After a flood they have hundreds of megabytes.
    while (characters > CHARACTERS_MAX && batches.length > 1)
      characters -= batches.shift()?.text.length ?? 0
  }
  return batches
}
