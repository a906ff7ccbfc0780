import type { TombstoneRecord } from './image.ts'

export type Scope = Readonly<{ door: string; requester: string; requestId: string }>

/**
 * What each request id led to, for as long as memory is the only one to know: live reservations,
 * and ended ones and tombstones until the history on disk has them.
 */
export function createRequestIds() {
  // Nested rather than joined keys: a million ids share the strings their reservations hold.
  const granted = new Map<string, Map<string, string>>()
  const tombstones = new Map<string, TombstoneRecord>()

  return { reservationOf, grant, forgetGrant, isTombstoned, bury, unbury, tombstones }

  function reservationOf(scope: Scope): string | undefined {
    return granted.get(partyOf(scope))?.get(scope.requestId)
  }

  function grant(scope: Scope, reservationId: string): void {
    const party = partyOf(scope)
    let known = granted.get(party)
    if (!known) {
      known = new Map()
      granted.set(party, known)
    }
    known.set(scope.requestId, reservationId)
  }

  function forgetGrant(scope: Scope): void {
    const party = partyOf(scope)
    const known = granted.get(party)
    known?.delete(scope.requestId)
    if (known?.size === 0) granted.delete(party)
  }

  function isTombstoned(scope: Scope): boolean {
    return tombstones.has(graveOf(scope))
  }

  function bury(record: TombstoneRecord): void {
    tombstones.set(graveOf(record), record)
  }

  function unbury(record: TombstoneRecord): void {
    tombstones.delete(graveOf(record))
  }
}

function partyOf({ door, requester }: Scope): string {
  return `${door} ${requester}`
}

function graveOf(scope: Scope): string {
  return `${partyOf(scope)} ${scope.requestId}`
}
