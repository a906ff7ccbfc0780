import { type Proof, parseSeen, seenText } from '@bourse/contract/proof'
import type { Head } from '../store/port/journal.ts'
import type { StoreNotes } from '../store/port/store-notes.ts'
import { StoreUnusable } from '../store/port/store-unusable.ts'
import { type Proofs, shortHash } from './proofs.ts'

type Ports = Readonly<{
  ledgerId: string
  proofs: Proofs
  notes: StoreNotes
  /** The last committed batch. */
  head(): Head
  /** The hash of an earlier batch; undefined once the journal has forgotten it. */
  hashAt(index: number): Promise<string | undefined>
  /** By a clock that only runs forward. */
  monotonic(): number
  /** It was found to be an older copy, just now. */
  onRollback(trouble: string): void
  /** The note of it could not be written: a restart would have to find out again. */
  onNoteLost(cause: Error): void
}>

/** What is noted beside the journal, so that a restart does not sell again. */
export type Rollback = Readonly<{
  ledgerId: string
  /** How far the ledger had been, as was proved. */
  provenIndex: number
  /** How far this store was when that was found. */
  headIndex: number
  found: 'beyond-head' | 'other-history' | 'anchor'
}>

/** malformed: no proof at all. unproven: beyond our head, and not of our making. */
export type SeenVerdict = 'fine' | 'malformed' | 'unproven'

export type RollbackGuard = ReturnType<typeof createRollbackGuard>

/** Callers send what they saw last: commits of the last seconds, even when there are many. */
const RECENT = 1_024
/** Older ones cost a read of the journal each: one at a time, and no more than a few a second. */
const LOOK_BACK_EVERY_MS = 200

/**
 * Notices that this store is an older copy of the ledger that callers know: by a proof of ours
 * that lies beyond its end, or that names another batch than the one that is there.
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
    /** Why nothing is decided; undefined when there is no reason. */
    trouble: (): string | undefined => rollback && troubleOf(rollback),
    unprovenCount: () => unprovenCount,
  }

  function committed(): void {
    const at = head()
    recent[at.index % RECENT] = at
  }

  /** Made once for each index that somebody is told of. */
  function newest() {
    const at = head()
    if (current.index !== at.index) {
      const proof = proofs.of(at)
      current = { index: at.index, proof, seen: seenText(ledgerId, proof) }
    }
    return current
  }

  /** What a caller says that it has seen. Cheap for what every honest caller sends. */
  function judge(text: string): SeenVerdict {
    if (text === current.seen) return 'fine'
    const seen = parseSeen(text)
    if (!seen) return 'malformed'
    // Of another ledger: nothing can be said about it here.
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

  /** From before this start. Whoever comes meanwhile is not compared: others will come. */
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
      // The store is in trouble, which its own users tell of.
      .then(done, done)
  }

  function convict({ index }: Proof, found: Rollback['found']): void {
    if (rollback) return
    rollback = { ledgerId, provenIndex: index, headIndex: head().index, found }
    notes.write('rolled-back', rollbackText(rollback)).catch(ports.onNoteLost)
    ports.onRollback(troubleOf(rollback))
  }
}

export const rollbackText = (rollback: Rollback): string => `${JSON.stringify(rollback)}\n`

export async function readRollback(notes: Pick<StoreNotes, 'read'>): Promise<Rollback | undefined> {
  const text = await notes.read('rolled-back')
  if (text === undefined) return undefined
  const noted: unknown = await Promise.resolve(text).then(JSON.parse).catch(unreadable)
  // Written by `rollbackText` above.
  return noted as Rollback
}

/** No reason to sell on: somebody wrote it, or something has damaged it. */
function unreadable(cause: Error): never {
  throw new StoreUnusable(
    'The note that this store is an older copy of its ledger cannot be read',
    'Put the newest copy of the store back, or run `bourse ledger accept-rollback`',
    { cause },
  )
}

export function troubleOf({ provenIndex, headIndex, found }: Rollback): string {
  const what =
    found === 'other-history'
      ? `batch ${provenIndex} of this ledger was another one than this store has`
      : `this ledger had reached index ${provenIndex}, and this store ended at ${headIndex}`
  return (
    `The store is an older copy of its ledger: ${what}, so that what was acknowledged since is ` +
    'missing here. Nothing is decided until an operator puts the newest copy back, or accepts ' +
    'the loss with `bourse ledger accept-rollback`.'
  )
}
