import type { Logger } from 'pino'
import { CompactedAway, type Head, type Journal, MissingBatch } from '../store/port/journal.ts'
import type { Store } from '../store/port/store.ts'
import type { StoreNotes } from '../store/port/store-notes.ts'
import { StoreUnusable } from '../store/port/store-unusable.ts'
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
  log: Logger
}>
type Opened = Readonly<{
  ledgerId: string
  head(): Head
  onRollback(): void
  /** Whether nobody else has written to the journal since. */
  isStillOurs(): Promise<boolean>
  /** An operator has accepted the older copy, beside us. */
  onAccepted(cause: Error): void
}>

/** What a start has to know before it founds, sells or refuses. */
export async function openRollback({ store, anchorPlace, log }: Ports) {
  const { journal, notes } = store
  const anchor = anchorPlace && (await openAnchor(anchorPlace))

  return { mayFound, mayLead, open }

  /** A store that held a ledger never gets a new one in its place without a word. */
  async function mayFound(): Promise<void> {
    const was = anchor?.anchored()
    if (was)
      throw new StoreUnusable(
        `The store is empty, but ${anchor?.name} has noted ledger ${was.ledgerId} at index ${was.index}`,
        'Put the store back, or import a backup into another one; empty the anchor to begin anew',
      )
    if ((await notes.read('proof-key')) === undefined) return
    throw new StoreUnusable(
      'The store held a ledger, of which nothing but its key is left',
      'Put its files back, or import a backup into an empty store; to begin anew, choose another',
    )
  }

  /**
   * A standby has read the ledger long before its turn comes: if the store has lost what it read,
   * somebody has put an older copy in its place.
   */
  async function mayLead({ ledgerId, head }: Here): Promise<void> {
    if (head.index === 0) return
    // A store that keeps its batches apart finds a hole where others have ended before.
    const there = await hashAt(journal, head.index).catch(noneIfMissing)
    if (there === undefined || there === head.hash) return
    const headIndex = Math.min(head.index, (await journal.head()).index)
    await refuse(notes, 'A standby had read it', {
      ...{ ledgerId, provenIndex: head.index, headIndex, found: 'other-history' },
    })
  }

  /** Once the ledger is founded or read, and nobody else can write. */
  async function open({ ledgerId, head, onRollback, isStillOurs, onAccepted }: Opened) {
    if (anchor) await compareAnchor({ journal, notes }, { ledgerId, head: head() }, anchor)
    const guard = createRollbackGuard(
      {
        ...{ ledgerId, notes, head },
        proofs: createProofs(ledgerId, await openKey(notes)),
        hashAt: (index) => hashAt(journal, index),
        monotonic: () => performance.now(),
        onRollback(trouble) {
          log.error({ ledger: ledgerId, index: head().index }, trouble)
          onRollback()
        },
        onNoteLost: (err) => log.error({ err }, 'that the store is an older copy was not noted'),
      },
      await readRollback(notes),
    )
    const known = guard.trouble()
    if (known !== undefined) log.error({ ledger: ledgerId, index: head().index }, known)
    const anchoring = anchor?.start({
      ...{ ledgerId, head },
      onTrouble: (err) => log.error({ err, anchor: anchor?.name }, 'the anchor cannot be written'),
    })
    const isRolledBack = () => guard.trouble() !== undefined
    const watching = journal.follow && watchAcceptance({ isRolledBack, isStillOurs, onAccepted })
    return { ...guard, chores: () => anchoring?.trouble(), stop }

    async function stop(): Promise<void> {
      await watching?.stop()
      await anchoring?.stop()
    }
  }
}

type Here = Readonly<{ ledgerId: string; head: Head }>

/** Throws if the anchor has seen more of this ledger, or other batches than are here. */
async function compareAnchor(
  { journal, notes }: Ports['store'],
  { ledgerId, head }: Here,
  anchor: Anchor,
): Promise<void> {
  const was = anchor.anchored()
  // A restored ledger has an id of its own, and the anchor is of the one before.
  if (was?.ledgerId !== ledgerId) return
  const isBeyond = was.index > head.index
  const there = isBeyond ? undefined : await hashAt(journal, was.index)
  if (!isBeyond && (there === undefined || there === was.hash)) return
  const found = isBeyond ? 'anchor' : 'other-history'
  await refuse(notes, 'Its anchor says so', {
    ...{ ledgerId, provenIndex: was.index, headIndex: head.index, found },
  })
}

async function refuse(notes: StoreNotes, how: string, rollback: Rollback): Promise<never> {
  await notes.write('rolled-back', rollbackText(rollback))
  throw new StoreUnusable(
    troubleOf(rollback).replace(/\.$/, ''),
    `${how}. Put the newest copy back, or run \`bourse ledger accept-rollback\``,
  )
}

/** Undefined once the journal has forgotten it; empty where it has no such batch. */
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
