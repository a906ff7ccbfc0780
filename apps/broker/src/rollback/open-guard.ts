import type { Logger } from 'pino'
import { CompactedAway, type Head, type Journal, MissingBatch } from '../store/port/journal.ts'
import type { Store } from '../store/port/store.ts'
import { StoreUnusable } from '../store/port/store-errors.ts'
import type { StoreNotes } from '../store/port/store-notes.ts'
import { type Anchor, openAnchor } from './anchor.ts'
import type { AnchorPlace } from './anchor-place.ts'
import { createProofs, openKey } from './proofs.ts'
import {
  createRollbackGuard,
  type Rollback,
  readRollback,
  rollbackText,
  troubleOf,
} from './rollback-guard.ts'
import { watchAcceptance } from './watch-acceptance.ts'

type Ports = Readonly<{
  store: Pick<Store, 'journal' | 'notes'>
  /** Where --anchor is kept, if there is one. */
  anchorPlace: AnchorPlace | undefined
  /** What an operator types to accept an older copy of this store. */
  accept: string
  log: Logger
}>
type Opened = Readonly<{
  ledgerId: string
  head(): Head
  onRollback(): void
  /** Whether no other broker has written to the journal since. */
  isStillOurs(): Promise<boolean>
  /** An operator has accepted the older copy while this broker runs. */
  onAccepted(cause: Error): void
}>

/** Checks at a start whether the store is an older copy of its ledger. */
export async function openRollback({ store, anchorPlace, accept, log }: Ports) {
  const { journal, notes } = store
  const anchor = anchorPlace && (await openAnchor(anchorPlace))

  return { mayFound, mayLead, open }

  /** A store that held a ledger never silently gets a new one. */
  async function mayFound(): Promise<void> {
    const was = anchor?.anchored()
    if (was)
      throw new StoreUnusable(
        `The store is empty, but ${anchor?.name} has noted ledger ${was.ledgerId} at index ${was.index}`,
        'Restore the store, or import a backup into another one; to start over, empty the anchor',
      )
    if ((await notes.read('proof-key')) === undefined) return
    throw new StoreUnusable(
      'The store held a ledger, and only its key is left',
      'Restore its files, or import a backup into an empty store; to start over, use another store',
    )
  }

  /**
   * A standby has read the ledger long before it leads. If the store has lost a batch that it read,
   * the store was replaced by an older copy.
   */
  async function mayLead({ ledgerId, head }: Here): Promise<void> {
    if (head.index === 0) return
    // A store of separate objects reports a missing batch where another one just ends.
    const there = await hashAt(journal, head.index).catch(noneIfMissing)
    if (there === undefined || there === head.hash) return
    const headIndex = Math.min(head.index, (await journal.head()).index)
    await refuse({ notes, accept }, 'A standby had read it', {
      ledgerId,
      provenIndex: head.index,
      headIndex,
      found: 'other-history',
    })
  }

  /** To be called when the ledger is open and no other broker can write. */
  async function open({ ledgerId, head, onRollback, isStillOurs, onAccepted }: Opened) {
    if (anchor) await compareAnchor({ journal, notes, accept }, { ledgerId, head: head() }, anchor)
    const guard = createRollbackGuard(
      {
        ledgerId,
        notes,
        head,
        proofs: createProofs(ledgerId, await openKey(notes)),
        hashAt: (index) => hashAt(journal, index),
        monotonic: () => performance.now(),
        onRollback() {
          logTrouble()
          onRollback()
        },
        onNoteLost: (err) =>
          log.error({ err }, 'the note that the store is an older copy was lost'),
      },
      await readRollback(notes, accept),
    )
    logTrouble()
    const anchoring = anchor?.start({
      ledgerId,
      head,
      onTrouble: (err) => log.error({ err, anchor: anchor?.name }, 'the anchor cannot be written'),
    })
    const isRolledBack = () => guard.trouble() !== undefined
    const watching = journal.follow && watchAcceptance({ isRolledBack, isStillOurs, onAccepted })
    return { ...guard, chores: () => anchoring?.trouble(), stop }

    function logTrouble(): void {
      const trouble = guard.trouble(accept)
      if (trouble !== undefined) log.error({ ledger: ledgerId, index: head().index }, trouble)
    }

    async function stop(): Promise<void> {
      await watching?.stop()
      await anchoring?.stop()
    }
  }
}

type Here = Readonly<{ ledgerId: string; head: Head }>

/** Throws if the anchor is ahead of the journal, or its batch differs from the journal's. */
async function compareAnchor(
  { journal, notes, accept }: Ports['store'] & Pick<Ports, 'accept'>,
  { ledgerId, head }: Here,
  anchor: Anchor,
): Promise<void> {
  const was = anchor.anchored()
  // A restored ledger has a new id: the anchor is of the ledger before.
  if (was?.ledgerId !== ledgerId) return
  const isBeyond = was.index > head.index
  const there = isBeyond ? undefined : await hashAt(journal, was.index)
  if (!isBeyond && (there === undefined || there === was.hash)) return
  const found = isBeyond ? 'anchor' : 'other-history'
  await refuse({ notes, accept }, 'Its anchor says so', {
    ledgerId,
    provenIndex: was.index,
    headIndex: head.index,
    found,
  })
}

async function refuse(
  { notes, accept }: Readonly<{ notes: StoreNotes; accept: string }>,
  how: string,
  rollback: Rollback,
): Promise<never> {
  await notes.write('rolled-back', rollbackText(rollback))
  throw new StoreUnusable(troubleOf(rollback, accept).replace(/\.$/, ''), how)
}

/** Undefined if the batch is compacted away; empty if there is no such batch. */
async function hashAt(journal: Pick<Journal, 'read'>, index: number): Promise<string | undefined> {
  return firstOf(journal.read(index)).then(
    (batch) => batch?.hash ?? NO_HASH,
    (thrown: unknown) => {
      if (thrown instanceof CompactedAway) return undefined
      throw thrown
    },
  )
}

const NO_HASH = ''

function noneIfMissing(thrown: unknown): string {
  if (thrown instanceof MissingBatch) return NO_HASH
  throw thrown
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item
  return undefined
}
