import type { Reservation } from '@bourse/contract'
import type { Terms } from './terms.ts'

/** One reservation as it is known here, and who said so. */
export type Entry = Readonly<{
  terms: Terms
  /** Capacity is locked; before that there is nothing to instruct anybody about. */
  isGranted: boolean
  /** As the broker last told it; absent for one that was read from an object after a restart. */
  reservation?: Reservation | undefined
  ledgerId?: string | undefined
  /** How far that ledger was when it said these terms. */
  index?: number | undefined
  /** Its proof that it was. */
  proof?: string | undefined
}>

export type Told = Readonly<Pick<Entry, 'terms' | 'isGranted' | 'reservation'>>

export type Answer = Readonly<{
  told: readonly Told[]
  ledgerId?: string | undefined
  index?: number | undefined
  proof?: string | undefined
  /** The ledger that an operator has confirmed, if any. */
  confirmed?: string | undefined
}>

export type Entries = ReadonlyMap<string, Entry>

/**
 * What the book says after an answer with the whole set.
 *
 * An entry goes only on the word of the ledger that it is of, at an index not below the one at
 * which it came: an empty, lagging, restored or wrong broker can add, and nothing else, until an
 * operator confirms its ledger.
 */
export function withAnswer(entries: Entries, answer: Answer): Entries {
  const told = new Map(answer.told.map((one) => [one.terms.id, one]))
  const next = new Map<string, Entry>()
  for (const [id, entry] of entries)
    if (told.has(id) || !mayRemove(entry, answer)) next.set(id, entry)
  for (const [id, one] of told) {
    const before = entries.get(id)
    if (!before || mayChange(before, answer)) next.set(id, entryOf(one, before, answer))
  }
  return next
}

/** One reservation that the broker answered with, as it does to a request. */
export function withOne(entries: Entries, one: Told, answer: Omit<Answer, 'told'>): Entries {
  const before = entries.get(one.terms.id)
  if (before && !mayChange(before, answer)) return entries
  return new Map(entries).set(one.terms.id, entryOf(one, before, answer))
}

export function without(entries: Entries, ids: readonly string[]): Entries {
  const gone = new Set(ids)
  return new Map([...entries].filter(([id]) => !gone.has(id)))
}

/** Entries of other ledgers than the one that answers: theirs is the word that counts for them. */
export function keptFromOthers(entries: Entries, answer: Omit<Answer, 'told'>): readonly Entry[] {
  return [...entries.values()].filter((entry) => !speaksFor(entry, answer))
}

type Voice = Omit<Answer, 'told'>

function speaksFor(entry: Entry, { ledgerId, confirmed }: Voice): boolean {
  return entry.ledgerId === ledgerId || (ledgerId !== undefined && ledgerId === confirmed)
}

function mayRemove(entry: Entry, answer: Voice): boolean {
  // A broker without a ledger cannot show that it is the one it was; time ends what it granted.
  if (answer.ledgerId === undefined || !speaksFor(entry, answer)) return false
  return entry.ledgerId !== answer.ledgerId || isNotBefore(answer, entry)
}

function mayChange(entry: Entry, answer: Voice): boolean {
  if (!speaksFor(entry, answer)) return false
  return entry.ledgerId !== answer.ledgerId || isNotBefore(answer, entry)
}

type Moment = Readonly<{ index?: number | undefined }>

export function isNotBefore(one: Moment, other: Moment): boolean {
  return (one.index ?? 0) >= (other.index ?? 0)
}

/** The stamp stays as long as the terms do, so that nothing is written without need. */
function entryOf(one: Told, before: Entry | undefined, voice: Voice): Entry {
  const { ledgerId, index, proof } = voice
  const isSame =
    before !== undefined &&
    before.ledgerId === ledgerId &&
    before.isGranted === one.isGranted &&
    isSameTerms(before.terms, one.terms)
  return isSame ? { ...before, reservation: one.reservation } : { ...one, ledgerId, index, proof }
}

function isSameTerms(one: Terms, other: Terms): boolean {
  const names = new Set([...Object.keys(one.amounts), ...Object.keys(other.amounts)])
  return (
    one.party === other.party &&
    one.endpoint === other.endpoint &&
    one.expiresAt === other.expiresAt &&
    [...names].every((name) => one.amounts[name] === other.amounts[name])
  )
}
