import type { Command, RememberedRequest } from '@bourse/domain/ledger'
import { type RequestScope, requestKey } from '../codec/request-key.ts'
import type { History } from '../port/history.ts'
import { createRequestFilter } from './request-filter.ts'

/** Request ids of what has ended: on disk, behind a filter that spares most look-ups. */
export function createRequestMemory(history: History) {
  let filter = createRequestFilter(0)
  /** What is noted while a new filter is being filled belongs into both. */
  let fresh: typeof filter | undefined
  let refreshing: Promise<void> | undefined

  return { recall, note, refresh }

  /** What the disk knows of a command's request id; undefined at once if surely nothing. */
  function recall(command: Command): Promise<RememberedRequest | undefined> | undefined {
    if (command.kind !== 'reserve' && command.kind !== 'releaseRequest') return undefined
    const { door, requester, requestId } = command
    if (requestId === undefined || filter.isEmpty()) return undefined
    if (!filter.mayHold(requestKey({ door, requester, requestId }))) return undefined
    return history.request(door, requester, requestId)
  }

  /** The disk has these now. To be awaited before memory lets go of them. */
  async function note(scopes: readonly RequestScope[]): Promise<void> {
    for (const scope of scopes) {
      const key = requestKey(scope)
      filter.add(key)
      fresh?.add(key)
    }
    if (filter.isFull()) await refresh()
  }

  /** Makes the filter anew from the disk: at the start, when it is full, and after pruning. */
  function refresh(): Promise<void> {
    refreshing ??= refill().finally(() => {
      fresh = undefined
      refreshing = undefined
    })
    return refreshing
  }

  async function refill(): Promise<void> {
    // Twice as many as there are: room for what comes until the next time.
    const filled = createRequestFilter(2 * (await history.requestCount()))
    fresh = filled
    for await (const keys of history.requestKeys()) for (const key of keys) filled.add(key)
    filter = filled
  }
}
