import type { Reservation } from '@bourse/contract'
import type { Terms } from './terms.ts'

/** One reservation as it is known here, and the ledger that reported it. */
export type Entry = Readonly<{
  terms: Terms
  /** Capacity is locked; before that there is no instruction. */
  isGranted: boolean
  /** The broker's last report; absent if only read from an object after a restart. */
  reservation?: Reservation | undefined
  ledgerId?: string | undefined
  /** The ledger's index when it reported these terms. */
  index?: number | undefined
  /** The ledger's proof of that index. */
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

type OneAnswer = Omit<Answer, 'told'>

export type Entries = ReadonlyMap<string, Entry>

/**
 * The entries after an answer with the whole set.
 *
 * Only an entry's own ledger can remove it, at an index not below the entry's: an empty, lagging,
 * restored or wrong broker can only add entries, until an operator confirms its ledger.
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

/** The entries after an answer with one reservation. */
export function withOne(entries: Entries, one: Told, answer: OneAnswer): Entries {
  const before = entries.get(one.terms.id)
  if (before && !mayChange(before, answer)) return entries
  return new Map(entries).set(one.terms.id, entryOf(one, before, answer))
}

export function without(entries: Entries, ids: readonly string[]): Entries {
  const gone = new Set(ids)
  return new Map([...entries].filter(([id]) => !gone.has(id)))
}

/** Entries of other ledgers than the one that answers; only their own ledger can change them. */
export function keptFromOthers(entries: Entries, answer: OneAnswer): readonly Entry[] {
  return [...entries.values()].filter((entry) => !speaksFor(entry, answer))
}

function speaksFor(entry: Entry, { ledgerId, confirmed }: OneAnswer): boolean {
  return entry.ledgerId === ledgerId || (ledgerId !== undefined && ledgerId === confirmed)
}

function mayRemove(entry: Entry, answer: OneAnswer): boolean {
  // A broker without a ledger cannot prove its identity; its grants end by time.
  if (answer.ledgerId === undefined || !speaksFor(entry, answer)) return false
  return entry.ledgerId !== answer.ledgerId || isNotBefore(answer, entry)
}

function mayChange(entry: Entry, answer: OneAnswer): boolean {
  if (!speaksFor(entry, answer)) return false
  return entry.ledgerId !== answer.ledgerId || isNotBefore(answer, entry)
}

type Moment = Readonly<{ index?: number | undefined }>

export function isNotBefore(one: Moment, other: Moment): boolean {
  return (one.index ?? 0) >= (other.index ?? 0)
}

/** The stamp stays while the terms do, to avoid needless writes. */
function entryOf(one: Told, before: Entry | undefined, answer: OneAnswer): Entry {
  const { ledgerId, index, proof } = answer
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
