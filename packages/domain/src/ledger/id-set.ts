/**
 * A set of ids. While ids only come, it is a plain list; the first question makes it a set. A
 * restart fills thousands of these with a million ids in an order that no cache likes: into lists
 * that takes a fraction of the time, and of the memory.
 */
export type IdSet = Iterable<string> & {
  readonly size: number
  /** Each id once; again at once (the next leg of the same reservation) is the same. */
  add(id: string): void
  has(id: string): boolean
  delete(id: string): boolean
}

/** Making a set of so many takes well under a millisecond; longer lists are not kept. */
const LISTED_MAX = 4_096

export function createIdSet(): IdSet {
  let listed: string[] = []
  let ids: Set<string> | undefined

  return {
    get size() {
      return ids ? ids.size : listed.length
    },
    add(id) {
      if (ids) ids.add(id)
      else if (listed.at(-1) !== id) list(id)
    },
    has: (id) => asSet().has(id),
    delete: (id) => asSet().delete(id),
    [Symbol.iterator]: () => asSet().values(),
  }

  function list(id: string): void {
    listed.push(id)
    if (listed.length > LISTED_MAX) asSet()
  }

  function asSet(): Set<string> {
    if (ids) return ids
    ids = new Set(listed)
    listed = []
    return ids
  }
}
