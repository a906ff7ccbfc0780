/** Leads from one id to another; a list at first and a map from the first question on, as `IdSet`. */
export type IdMap = {
  readonly size: number
  /** The same id again leads to the newer one, and may count twice until somebody asks. */
  set(id: string, leadsTo: string): void
  get(id: string): string | undefined
  delete(id: string): boolean
}

/** Making a map of so many takes well under a millisecond; longer lists are not kept. */
const LISTED_MAX = 4_096

export function createIdMap(): IdMap {
  // Two lists rather than one of pairs: a million pairs would cost more than the map saves.
  let listed: string[] = []
  let goals: string[] = []
  let map: Map<string, string> | undefined

  return {
    get size() {
      return map ? map.size : listed.length
    },
    set(id, leadsTo) {
      if (map) map.set(id, leadsTo)
      else list(id, leadsTo)
    },
    get: (id) => asMap().get(id),
    delete: (id) => asMap().delete(id),
  }

  function list(id: string, leadsTo: string): void {
    listed.push(id)
    goals.push(leadsTo)
    if (listed.length > LISTED_MAX) asMap()
  }

  function asMap(): Map<string, string> {
    if (map) return map
    map = new Map()
    for (const [place, id] of listed.entries()) map.set(id, goals[place] ?? '')
    listed = []
    goals = []
    return map
  }
}
