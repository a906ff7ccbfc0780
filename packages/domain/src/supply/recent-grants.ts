import { amountOf, type Resources } from '../quantity/resources.ts'
import type { Leg, Reservation } from '../reservation/reservation.ts'
import { numberOf } from '../reservation/reservation-id.ts'
import type { Advertisement } from './cluster.ts'

type Grant = Pick<Reservation, 'id' | 'decidedIndex'>
type Recent = Readonly<{ decidedIndex: number; resources: Resources }>

export type RecentGrants = ReturnType<typeof createRecentGrants>

/**
 * What a provider holds that was granted after it measured its nodes. Empty while it does not
 * advertise `largestFit` with a `seenIndex`: nothing is compared then.
 */
export function createRecentGrants() {
  const grants = new Map<number, Recent>()
  const total: Record<string, bigint> = {}
  /** Undefined: nothing is counted. */
  let seenIndex: number | undefined

  return { total: total as Resources, follow, add, drop, wouldDrop }

  /** Counts what was granted since this advertisement. `held`: all that the provider holds. */
  function follow(advertisement: Advertisement, held: () => Iterable<Reservation>, own: string) {
    const before = seenIndex
    seenIndex = seenIndexOf(advertisement)
    if (seenIndex === before) return
    for (const [number, { decidedIndex }] of grants)
      if (seenIndex === undefined || decidedIndex <= seenIndex) drop(number)
    if (before !== undefined || seenIndex === undefined) return
    for (const one of held()) for (const leg of one.legs) if (leg.clusterId === own) add(one, leg)
  }

  function add({ id, decidedIndex }: Grant, { resources }: Leg): void {
    if (seenIndex === undefined || decidedIndex <= seenIndex) return
    grants.set(numberOf(id), { decidedIndex, resources })
    for (const name in resources) total[name] = amountOf(total, name) + amountOf(resources, name)
  }

  function drop(number: number): void {
    const resources = grants.get(number)?.resources ?? {}
    grants.delete(number)
    for (const name in resources) total[name] = amountOf(total, name) - amountOf(resources, name)
  }

  /** Whether an agent that has seen so much has measured with some of these. */
  function wouldDrop(seen: number): boolean {
    for (const { decidedIndex } of grants.values()) if (decidedIndex <= seen) return true
    return false
  }
}

function seenIndexOf({ largestFit, seenIndex }: Advertisement): number | undefined {
  return largestFit && seenIndex
}
