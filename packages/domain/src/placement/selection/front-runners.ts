import { sizeLimits } from '../../limits.ts'
import { firstOf, insert, OUT, type Ranked } from './first-of.ts'

/**
 * Keeps a list of those ahead. While ranks change one at a time, the first few are found in it and
 * not among thousands. Invariant: all that are not in the list rank at `bar` or below.
 */
export function createFrontRunners() {
  const kept = sizeLimits.frontRunnersKept
  /** With more than these, a scan of all is as quick. */
  const keptMax = 2 * kept
  let inView: number[] = []
  let bar = Number.POSITIVE_INFINITY
  /** False at the first question, and where too many are level: then a list does not pay. */
  let isWorthwhile = false
  let isAsked = false

  return { forget, moved, first }

  /** All ranks may have changed. */
  function forget(): void {
    inView = []
    bar = Number.POSITIVE_INFINITY
    isWorthwhile = false
    isAsked = false
  }

  /** One rank has changed. */
  function moved(at: number, rank: number): void {
    if (rank <= bar || inView.includes(at)) return
    if (inView.length < keptMax) inView.push(at)
    else forget()
  }

  /** The first ones in order without `except`: the same as `firstOf` finds. */
  function first(order: Ranked, except?: number): readonly number[] {
    if (isWorthwhile) {
      const found = among(order, except) ?? among(lookAgain(order), except)
      if (found) return found
    }
    isWorthwhile = !isAsked
    isAsked = true
    return firstWithout(order, except)
  }

  /** Undefined: one that is not in the list may be among the first. */
  function among(order: Ranked, except?: number): readonly number[] | undefined {
    const found: number[] = []
    for (const at of inView) {
      if (at === except || (order.ranks[at] ?? OUT) <= bar) continue
      if (found.length === order.max && !order.isBefore(at, found[order.max - 1] ?? at)) continue
      insert(found, at, order)
    }
    return found.length === order.max || bar === OUT ? found : undefined
  }

  function lookAgain(order: Ranked): Ranked {
    inView = firstOf({ ...order, max: kept })
    const last = inView[kept - 1]
    bar = last === undefined ? OUT : (order.ranks[last] ?? OUT)
    return order
  }
}

function firstWithout(order: Ranked, except?: number): readonly number[] {
  if (except === undefined) return firstOf(order)
  const { ranks } = order
  const rank = ranks[except] ?? OUT
  ranks[except] = OUT
  const found = firstOf(order)
  ranks[except] = rank
  return found
}
