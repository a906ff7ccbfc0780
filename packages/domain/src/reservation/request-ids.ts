import { createIdMap, type IdMap } from './id-map.ts'

/** Request ids are unique to a door and a requester. */
export type Scope = Readonly<{ door: string; requester: string; requestId: string }>

/** A request that was released before it arrived. */
export type TombstoneRecord = Scope & Readonly<{ at: number }>

/**
 * What each request id led to: live reservations, and ended ones and tombstones until the history
 * on disk has them.
 */
export function createRequestIds() {
  // By door, requester and id. Nested maps share the strings of the reservations; joined keys would
  // make a million new ones.
  const granted = new Map<string, Map<string, IdMap>>()
  const tombstones = new Map<string, TombstoneRecord>()

  return { reservationOf, grant, forgetGrant, isTombstoned, bury, unbury, tombstones }

  function reservationOf({ door, requester, requestId }: Scope): number | undefined {
    return granted.get(door)?.get(requester)?.get(requestId)
  }

  function grant({ door, requester, requestId }: Scope, number: number): void {
    const known = granted.get(door)?.get(requester)
    if (known) known.set(requestId, number)
    else knowRequester(door, requester).set(requestId, number)
  }

  function knowRequester(door: string, requester: string): IdMap {
    const ofDoor = granted.get(door) ?? new Map<string, IdMap>()
    granted.set(door, ofDoor)
    const known = createIdMap()
    ofDoor.set(requester, known)
    return known
  }

  function forgetGrant({ door, requester, requestId }: Scope): void {
    const ofDoor = granted.get(door)
    const known = ofDoor?.get(requester)
    known?.delete(requestId)
    if (known?.size === 0) ofDoor?.delete(requester)
  }

  function isTombstoned(scope: Scope): boolean {
    return tombstones.size > 0 && tombstones.has(graveOf(scope))
  }

  function bury(record: TombstoneRecord): void {
    tombstones.set(graveOf(record), record)
  }

  function unbury(record: TombstoneRecord): void {
    tombstones.delete(graveOf(record))
  }
}

function graveOf({ door, requester, requestId }: Scope): string {
  return `${door} ${requester} ${requestId}`
}
