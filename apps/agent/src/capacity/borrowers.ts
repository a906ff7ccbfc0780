import { amountOf, type Resources } from '@bourse/domain/quantity'
import { ALL } from './amounts.ts'
import { type Sums, smaller } from './sums.ts'

/** A reservation held on this cluster, and how much of each resource it is for. */
export type Borrower = Readonly<{ reservation: string; resources: Resources }>

/** The reservations of a `liqo.io/creator-user`, oldest first; empty if it is not ours. */
export type BorrowersOf = (creatorUser: string) => readonly Borrower[]

/** What a pod adds to used: an unreadable amount must not end a reservation's hold. */
export function creditOf(requests: Resources): Resources {
  const credit: Record<string, bigint> = {}
  for (const name in requests) {
    const amount = amountOf(requests, name)
    if (amount < ALL) credit[name] = amount
  }
  return credit
}

/**
 * Used by reservation id. One user stands for one reservation where each has a slice of its own;
 * where several share one, the oldest is filled first, and what is over goes to the youngest.
 * Nothing is said to be used beyond what there is, for the sum must remain an amount.
 */
export function usedByReservation(
  usedByUser: ReadonlyMap<string, Sums>,
  borrowersOf: BorrowersOf,
  atMost: Resources,
): ReadonlyMap<string, Resources> {
  const used = new Map<string, Record<string, bigint>>()
  for (const [user, sums] of usedByUser) {
    const borrowers = borrowersOf(user)
    for (const [name, amount] of sums) {
      if (!(name in atMost)) continue
      for (const [reservation, part] of split(amount, name, borrowers)) {
        const parts = used.get(reservation) ?? {}
        parts[name] = smaller((parts[name] ?? 0n) + part, amountOf(atMost, name))
        used.set(reservation, parts)
      }
    }
  }
  return used
}

function split(amount: bigint, name: string, borrowers: readonly Borrower[]): [string, bigint][] {
  const parts: [string, bigint][] = []
  let rest = amount
  for (const [at, { reservation, resources }] of borrowers.entries()) {
    const isLast = at === borrowers.length - 1
    const part = isLast ? rest : smaller(rest, amountOf(resources, name))
    rest -= part
    if (part > 0n) parts.push([reservation, part])
  }
  return parts
}
