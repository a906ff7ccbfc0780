import { BURIED, type Reservation } from '@bourse/domain/ledger'
import { requestKey } from '../codec/request-key.ts'
import type {
  DecisionRecord,
  EndedQuery,
  History,
  HistoryBatch,
  PruneLimits,
  Tombstone,
} from '../port/history.ts'

type Remembered = Readonly<{
  requester: string
  at: number
  reservation?: string
  isBuried: boolean
}>

/** For tests: a history that is gone with the process. */
export function createMemoryHistory(): History {
  const decisions = new Map<string, DecisionRecord>()
  const ended = new Map<string, Reservation>()
  const requests = new Map<string, Remembered>()
  let recordedThrough = 0

  return {
    record: async (batch) => record(batch),
    recordedThrough: async () => recordedThrough,
    requestCount: async () => requests.size,
    decision: async ({ id }) => decisions.get(id),
    ended: async (id) => ended.get(id),
    listEnded: async (query) => list(query),
    request: async (door, requester, requestId) => {
      const found = requests.get(requestKey({ door, requester, requestId }))
      if (!found) return undefined
      const { reservation, isBuried } = found
      const kept = reservation && ended.get(reservation)
      if (!kept) return isBuried ? { kind: 'tombstone' } : undefined
      return { kind: 'granted', reservation: isBuried ? { ...kept, fingerprint: BURIED } : kept }
    },
    async *requestKeys() {
      if (requests.size > 0) yield Array.from(requests.keys()).toSorted()
    },
    prune: async (limits) => prune(limits),
  }

  function record(batch: HistoryBatch): void {
    for (const one of batch.decisions) putOnce(decisions, one.reservationId, one)
    for (const one of batch.ended) putOnce(ended, one.id, one)
    for (const one of batch.ended) rememberGrant(one)
    for (const one of batch.tombstones) rememberTombstone(one)
    recordedThrough = Math.max(recordedThrough, batch.through)
  }

  function rememberGrant(reservation: Reservation): void {
    const { door, requester, requestId } = reservation
    if (requestId === undefined) return
    const key = requestKey({ door, requester, requestId })
    const { at = endOf(reservation), isBuried = false } = requests.get(key) ?? {}
    requests.set(key, { requester, at, isBuried, reservation: reservation.id })
  }

  function rememberTombstone(tombstone: Tombstone): void {
    const { requester, at } = tombstone
    const key = requestKey(tombstone)
    requests.set(key, { ...requests.get(key), requester, at, isBuried: true })
  }

  function list({ party, role, limit, after }: EndedQuery): readonly Reservation[] {
    return Array.from(ended.values())
      .filter((one) => party === undefined || isPartyTo(one, party, role))
      .toSorted(newestFirst)
      .filter((one) => !after || newestFirst(after, one) < 0)
      .slice(0, limit)
  }

  function prune({ endedBefore, requestsBefore, requestsMax }: PruneLimits): void {
    for (const [key, { at }] of requests) if (at < requestsBefore) requests.delete(key)
    for (const one of ended.values()) {
      if (endOf(one) >= Math.min(endedBefore, requestsBefore)) continue
      ended.delete(one.id)
      decisions.delete(one.id)
    }
    for (const requester of new Set(Array.from(requests.values(), (one) => one.requester)))
      forgetExcess(requester, requestsMax)
  }

  function forgetExcess(requester: string, requestsMax: number): void {
    const theirs = Array.from(requests).filter(([, one]) => one.requester === requester)
    const oldestLast = theirs.toSorted(([, one], [, other]) => other.at - one.at)
    for (const [key] of oldestLast.slice(requestsMax)) requests.delete(key)
  }
}

function putOnce<T>(into: Map<string, T>, key: string, value: T): void {
  if (!into.has(key)) into.set(key, value)
}

function isPartyTo({ requester, legs }: Reservation, party: string, role: EndedQuery['role']) {
  const isRequester = role !== 'provider' && requester === party
  return isRequester || (role !== 'requester' && legs.some((leg) => leg.clusterId === party))
}

type Placed = Readonly<{ createdAt: number; id: string }>

function newestFirst(one: Placed, other: Placed): number {
  return other.createdAt - one.createdAt || (other.id > one.id ? 1 : other.id < one.id ? -1 : 0)
}

const endOf = ({ endedAt, createdAt }: Reservation) => endedAt ?? createdAt
