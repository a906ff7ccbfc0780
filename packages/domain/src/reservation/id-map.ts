import { sizeLimits } from '../limits.ts'

/**
 * Maps request ids to reservation numbers. Until the first `get` it only keeps a list: a restart
 * fills thousands of these with a million ids, in an order that misses every cache, and most are
 * never read.
 */
export type IdMap = {
  /** Before the first `get`: the length of the list. */
  readonly size: number
  /** Replaces an earlier number of this id. */
  set(id: string, leadsTo: number): void
  get(id: string): number | undefined
  delete(id: string): void
}

const NOWHERE = -1

export function createIdMap(): IdMap {
  // Two lists rather than one of pairs: a million pairs would cost more than the map saves.
  let listed: string[] = []
  let goals: number[] = []
  let map: Map<string, number> | undefined

  return {
    get size() {
      return map ? map.size : listed.length
    },
    set(id, leadsTo) {
      if (map) map.set(id, leadsTo)
      else list(id, leadsTo)
    },
    get: (id) => asMap().get(id),
    delete(id) {
      if (map) map.delete(id)
      else list(id, NOWHERE)
    },
  }

  function list(id: string, leadsTo: number): void {
    listed.push(id)
    goals.push(leadsTo)
    if (listed.length > sizeLimits.listedMax) asMap()
  }

  function asMap(): Map<string, number> {
    if (map) return map
    map = new Map()
    for (const [place, id] of listed.entries()) {
      const goal = goals[place] ?? NOWHERE
      if (goal === NOWHERE) map.delete(id)
      else map.set(id, goal)
    }
    listed = []
    goals = []
    return map
  }
}
