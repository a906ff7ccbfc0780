import { createLedger } from '@bourse/domain/ledger'
import { newLedgerId } from '../../ledger/opening/begin-term.ts'
import { readRollback } from '../../rollback/rollback-guard.ts'
import { REPLAY_SETTINGS, type StorePlace, withPlace } from '../opening/store-place.ts'
import type { Head } from '../port/journal.ts'
import type { Store } from '../port/store.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { replay } from '../replay/replay.ts'
import { withStore } from '../sqlite/with-store.ts'
import { foundAnew } from './found-anew.ts'

type Target = Pick<Store, 'journal' | 'notes'>

export type Accepted = Readonly<{ head: Head; ledgerId: string; from: string }>

/**
 * An operator takes the older copy for the ledger from now on, and knows that what came after it
 * is lost. It goes on under a new id, as a restored backup does. The place is a directory whose
 * broker is stopped, or a store that several brokers share.
 */
export function acceptRollback(place: string | StorePlace): Promise<Accepted> {
  return typeof place === 'string' ? withStore(place, acceptIn) : withPlace(place, acceptIn)
}

export async function acceptIn({ journal, notes }: Target): Promise<Accepted> {
  if ((await notes.read('rolled-back')) === undefined) throw nothingToAccept()
  const ledger = createLedger(REPLAY_SETTINGS)
  const { head, lastAt } = await replay({ journal, ledger })
  const { ledgerId: from } = ledger
  await expectNoteOf(from, notes)
  const ledgerId = newLedgerId()
  const at = Math.max(Date.now(), lastAt, ledger.lastAt)
  const founded = await foundAnew(journal, { head, from, ledgerId, at, writer: 'accept-rollback' })
  // After the founding: without the note, a kill in between would let the old ledger sell again.
  await notes.remove('rolled-back')
  return { head: founded, ledgerId, from }
}

/** A note of the ledger before this one was left by an acceptance that was cut short. */
async function expectNoteOf(ledgerId: string, notes: Target['notes']): Promise<void> {
  // One that cannot be read stands for this ledger, as it does for a broker.
  const noted = await readRollback(notes).catch(() => undefined)
  if (noted === undefined || noted.ledgerId === ledgerId) return
  await notes.remove('rolled-back')
  throw nothingToAccept()
}

function nothingToAccept(): StoreUnusable {
  return new StoreUnusable(
    'Nothing says that this is an older copy of its ledger, so there is nothing to accept',
    'A broker notes it when a caller proves it, or its --anchor does',
  )
}
