import type { Stamp } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import { given } from '@bourse/daemon/given'
import { createSignal } from '@bourse/daemon/signal'
import { type Clock, isSameJson } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import {
  type Entries,
  type Entry,
  isNotBefore,
  keptFromOthers,
  type Told,
  withAnswer,
  withOne,
  without,
} from './entries.ts'
import { createExpiryTimer, isLongOver } from './expiry.ts'
import { type LedgerStanding, ledgerOf } from './ledger-standing.ts'
import { type Role, termsOf } from './terms.ts'

type Ports = Readonly<{
  role: Role
  brokerClock: BrokerClock
  clock: Clock
  /** The ledger that an operator has confirmed, if any. */
  confirmed(): string | undefined
  /** What an earlier run has seen of a ledger. */
  remember?: ((seen: Stamp) => void) | undefined
}>

type WholeAnswer = Stamp & Readonly<{ reservations: readonly Reservation[] }>

/** Far more than can end during one answer. */
const ENDED_MAX = 10_000

export type InstructionKeeper = ReturnType<typeof createInstructionKeeper>

/** Keeps the entries of one side: reservations, their ledgers, and which are still valid. */
export function createInstructionKeeper(ports: Ports) {
  const { role, brokerClock, confirmed } = ports
  const changed = createSignal<[ids: ReadonlySet<string>]>()
  /** Released by us: an older answer must not bring them back. */
  const ended = new Map<string, number | undefined>()
  let entries: Entries = new Map()
  let applied: Stamp | undefined
  let last: WholeAnswer | undefined
  let lastEnding: number | undefined
  const expiry = createExpiryTimer(ports, ring)

  return {
    get: (id: string): Entry | undefined => entries.get(id),
    entries: (): Iterable<Entry> => entries.values(),
    byRequestId: (requestId: string): Entry | undefined =>
      [...entries.values()].find(({ reservation }) => reservation?.requestId === requestId),
    /** From an object of an earlier run: it stays until its own ledger removes it. */
    adopt(entry: Entry): void {
      const { id } = entry.terms
      const { ledgerId, proof } = entry
      if (ledgerId !== undefined && proof !== undefined) ports.remember?.({ ledgerId, proof })
      if (entries.has(id) || ended.has(id)) return
      become(new Map(entries).set(id, entry))
      reconsider()
    },
    take(answer: WholeAnswer): void {
      brokerClock.heard(answer.brokerTimeOffsetMs)
      if (!isOlder(answer)) apply(answer)
    },
    takeOne,
    /** Ended by us, and confirmed by the broker. */
    forget(id: string, { index }: Stamp = {}): void {
      end(id, index)
      become(without(entries, [id]))
    },
    /** An operator has confirmed a ledger: apply the broker's last answer again. */
    reconsider,
    standing,
    /** The index of the last answer that lacked an earlier entry. */
    lastEnding: (): number | undefined => lastEnding,
    /** Whether a missing reservation has ended: the followed ledger has reported the whole set. */
    isComplete: (): boolean => applied !== undefined && standing().kind !== 'unconfirmed',
    /** Ids of new, changed, expired or removed entries; none if only the ledger changed. */
    subscribe: changed.subscribe,
    stop: expiry.stop,
  }

  function reconsider(): void {
    if (last) apply(last)
  }

  function apply(answer: WholeAnswer): void {
    const { ledgerId, index } = answer
    const told = answer.reservations.filter(({ id }) => !hasEnded(id, answer)).map(toldOf)
    const before = standing()
    applied = given({ ledgerId, index })
    last = answer
    const { proof } = answer
    const next = withAnswer(entries, { ...applied, proof, told, confirmed: confirmed() })
    if ([...entries.keys()].some((id) => !next.has(id))) lastEnding = index
    become(withoutLongOver(next), isOtherStanding(before))
  }

  function takeOne(reservation: Reservation, { ledgerId, index, proof }: Stamp): void {
    if (hasEnded(reservation.id, given({ index }))) return
    const answer = { ledgerId, index, proof, confirmed: confirmed() }
    become(withOne(entries, toldOf(reservation), answer))
  }

  function isOlder({ ledgerId, index = 0 }: Stamp): boolean {
    if (ledgerId === undefined) return false
    if (applied?.ledgerId === ledgerId) return index < (applied.index ?? 0)
    return [...entries.values()].some(
      (one) => one.ledgerId === ledgerId && (one.index ?? 0) > index,
    )
  }

  function hasEnded(id: string, answer: Stamp): boolean {
    if (!ended.has(id)) return false
    const isStale = !isNotBefore(answer, { index: ended.get(id) })
    if (!isStale) ended.delete(id)
    return isStale
  }

  function end(id: string, index: number | undefined): void {
    ended.set(id, index)
    const [oldest] = ended.keys()
    if (ended.size > ENDED_MAX && oldest !== undefined) ended.delete(oldest)
  }

  function toldOf(reservation: Reservation): Told {
    const { phase } = reservation.status
    const isGranted = phase === 'Reserved' || phase === 'Active'
    return { terms: termsOf(reservation, role), isGranted, reservation }
  }

  /** `isOther`: called after the entries are set, since the standing depends on them. */
  function become(next: Entries, isOther: () => boolean = () => false): void {
    const ids = differing(entries, next)
    entries = next
    expiry.watch(entries)
    if (ids.size > 0 || isOther()) changed.tell(ids)
  }

  function isOtherStanding(before: LedgerStanding): () => boolean {
    return () => {
      const now = standing()
      return now.kind !== before.kind || ledgerOf(now) !== ledgerOf(before)
    }
  }

  /** Something has expired. */
  function ring(ids: ReadonlySet<string>): void {
    entries = withoutLongOver(entries)
    expiry.watch(entries)
    changed.tell(ids)
  }

  /** Before the broker's time is known, nothing is dropped as expired. */
  function withoutLongOver(all: Entries): Entries {
    if (!brokerClock.isHeard()) return all
    const gone = [...all.values()].filter((one) => isLongOver(one, brokerClock))
    for (const { terms, index } of gone) end(terms.id, index)
    const ids = gone.map(({ terms }) => terms.id)
    return gone.length === 0 ? all : without(all, ids)
  }

  function standing(): LedgerStanding {
    if (!applied) return { kind: 'unknown' }
    const { ledgerId, index = 0 } = applied
    const kept = keptFromOthers(entries, { ledgerId, confirmed: confirmed() })
    if (kept.length > 0) {
      const ours = kept[0]?.ledgerId ?? 'without a name'
      return { kind: 'unconfirmed', ledgerId, ours, kept: kept.length }
    }
    return ledgerId === undefined ? { kind: 'unnamed' } : { kind: 'followed', ledgerId, index }
  }
}

function differing(before: Entries, after: Entries): Set<string> {
  const changed = new Set<string>()
  for (const id of before.keys()) if (!after.has(id)) changed.add(id)
  for (const [id, entry] of after) if (!isSameEntry(before.get(id), entry)) changed.add(id)
  return changed
}

function isSameEntry(one: Entry | undefined, other: Entry): boolean {
  if (one === other) return true
  return (
    one !== undefined &&
    one.terms === other.terms &&
    one.ledgerId === other.ledgerId &&
    one.index === other.index &&
    isSameJson(one.reservation, other.reservation)
  )
}
