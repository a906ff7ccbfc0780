import { type Proof, parseSeen, seenText } from '@bourse/contract/proof'
import type { Head } from '../store/port/journal.ts'
import { StoreUnusable } from '../store/port/store-errors.ts'
import type { StoreNotes } from '../store/port/store-notes.ts'
import { ACCEPT } from './accept-command.ts'
import { type Proofs, shortHash } from './proofs.ts'

type Ports = Readonly<{
  ledgerId: string
  proofs: Proofs
  notes: StoreNotes
  /** The last committed batch. */
  head(): Head
  /** The hash of an earlier batch; undefined if it is compacted away. */
  hashAt(index: number): Promise<string | undefined>
  monotonic(): number
  /** The store was just found to be an older copy. */
  onRollback(): void
  /** The note about it could not be written: a restart would not know of it. */
  onNoteLost(cause: Error): void
}>

/** Noted beside the journal, so that a restart does not grant capacity again. */
export type Rollback = Readonly<{
  ledgerId: string
  /** An index that the ledger had provably reached. */
  provenIndex: number
  /** The store's last index when the rollback was found. */
  headIndex: number
  found: 'beyond-head' | 'other-history' | 'anchor'
}>

/** malformed: not a proof. unproven: beyond our head, and its MAC is not ours. */
export type SeenVerdict = 'fine' | 'malformed' | 'unproven'

export type RollbackGuard = ReturnType<typeof createRollbackGuard>

/** Callers send the last proof they saw, mostly of the last seconds: these are kept in memory. */
const RECENT = 1_024
/** An older proof costs a read of the journal: one at a time, at most a few a second. */
const LOOK_BACK_EVERY_MS = 200

/**
 * Detects that this store is an older copy of its ledger: a caller shows a proof with our MAC whose
 * index is beyond our head, or whose hash differs from our batch.
 */
export function createRollbackGuard(ports: Ports, noted: Rollback | undefined) {
  const { ledgerId, proofs, notes, head } = ports
  const recent: (Head | undefined)[] = new Array(RECENT)
  let rollback = noted?.ledgerId === ledgerId ? noted : undefined
  let current = { index: -1, proof: '', seen: '' }
  let unprovenCount = 0
  let lookedBackAt = Number.NEGATIVE_INFINITY
  let isLookingBack = false
  committed()

  return {
    proof: () => newest().proof,
    judge,
    /** After each commit. */
    committed,
    /** Why nothing is decided; undefined when there is no reason. `accept`: as an operator types it. */
    trouble: (accept?: string): string | undefined => rollback && troubleOf(rollback, accept),
    unprovenCount: () => unprovenCount,
  }

  function committed(): void {
    const at = head()
    recent[at.index % RECENT] = at
  }

  /** Made once for each index that an answer names. */
  function newest() {
    const at = head()
    if (current.index !== at.index) {
      const proof = proofs.of(at)
      current = { index: at.index, proof, seen: seenText(ledgerId, proof) }
    }
    return current
  }

  /** Judges the proof that a caller has seen. Cheap for the newest one, which most callers send. */
  function judge(text: string): SeenVerdict {
    if (text === current.seen) return 'fine'
    const seen = parseSeen(text)
    if (!seen) return 'malformed'
    // A proof of another ledger says nothing about this one.
    if (seen.ledgerId !== ledgerId) return 'fine'
    const { proof } = seen
    if (proof.index > head().index) return judgeBeyond(proof)
    const there = recent[proof.index % RECENT]
    if (there?.index === proof.index) compare(proof, there.hash)
    else lookBack(proof)
    return 'fine'
  }

  function judgeBeyond(proof: Proof): SeenVerdict {
    if (!proofs.isOurs(proof)) {
      unprovenCount++
      return 'unproven'
    }
    convict(proof, 'beyond-head')
    return 'fine'
  }

  function compare(proof: Proof, hash: string): void {
    if (shortHash(hash) !== proof.hash && proofs.isOurs(proof)) convict(proof, 'other-history')
  }

  /** Compares an older proof with the journal. Proofs that arrive meanwhile are skipped. */
  function lookBack(proof: Proof): void {
    const now = ports.monotonic()
    if (rollback || isLookingBack || now - lookedBackAt < LOOK_BACK_EVERY_MS) return
    lookedBackAt = now
    if (!proofs.isOurs(proof)) return
    isLookingBack = true
    const done = () => {
      isLookingBack = false
    }
    ports
      .hashAt(proof.index)
      .then((hash) => hash !== undefined && compare(proof, hash))
      // A store that fails is reported by the writer.
      .then(done, done)
  }

  function convict({ index }: Proof, found: Rollback['found']): void {
    if (rollback) return
    rollback = { ledgerId, provenIndex: index, headIndex: head().index, found }
    notes.write('rolled-back', rollbackText(rollback)).catch(ports.onNoteLost)
    ports.onRollback()
  }
}

export const rollbackText = (rollback: Rollback): string => `${JSON.stringify(rollback)}\n`

export async function readRollback(
  notes: Pick<StoreNotes, 'read'>,
  accept = ACCEPT,
): Promise<Rollback | undefined> {
  const text = await notes.read('rolled-back')
  if (text === undefined) return undefined
  const noted: unknown = await Promise.resolve(text)
    .then(JSON.parse)
    .catch((cause: Error) => unreadable(cause, accept))
  // Written by `rollbackText` above.
  return noted as Rollback
}

/** A damaged note is no reason to grant capacity again. */
function unreadable(cause: Error, accept: string): never {
  throw new StoreUnusable(
    'The note that this store is an older copy of its ledger cannot be read',
    `Restore the newest copy of the store, or run \`${accept}\``,
    { cause },
  )
}

export function troubleOf({ provenIndex, headIndex, found }: Rollback, accept = ACCEPT): string {
  const what =
    found === 'other-history'
      ? `batch ${provenIndex} of this ledger differs from the one in this store`
      : `this ledger had reached index ${provenIndex}, and this store ended at ${headIndex}`
  return (
    `The store is an older copy of its ledger: ${what}, so what was acknowledged since is ` +
    'missing here. Nothing is decided until an operator restores the newest copy, or accepts ' +
    `the loss with \`${accept}\`.`
  )
}
