import { amountOf, type Resources } from '@bourse/domain/quantity'
import { type BorrowersOf, creditOf } from './borrowers.ts'
import type { Measurement } from './measurement.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PodShare } from './pod-share.ts'
import { addTo, bump, freeOnNode, type Sums } from './sums.ts'
import { createTotals, type Extremes, toMeasurement } from './totals.ts'

/**
 * What is counted of a node. It exists while the node or a pod of it does: the two arrive by
 * different watches, in any order.
 */
type Page = {
  facts: NodeFacts | undefined
  requested: Sums
  usedByUser: Map<string, Sums>
  /** Each names its pod. */
  problems: Set<string>
  /** As it stands in the totals; undefined while the node is not counted. */
  free: Resources | undefined
}

export type Tally = ReturnType<typeof createTally>

/** The count, kept up to date: a change costs the same however large the cluster is. */
export function createTally() {
  const pages = new Map<string, Page>()
  const totals = createTotals()
  let extremes: Extremes | undefined

  function pageOf(name: string): Page {
    const known = pages.get(name)
    if (known) return known
    const page: Page = {
      facts: undefined,
      requested: new Map(),
      usedByUser: new Map(),
      problems: new Set(),
      free: undefined,
    }
    pages.set(name, page)
    return page
  }

  function place(page: Page, facts: NodeFacts | undefined): void {
    if (page.facts) enter(page, page.facts, -1)
    page.facts = facts
    if (facts) enter(page, facts, 1)
    extremes = undefined
  }

  function enter(page: Page, facts: NodeFacts, sign: 1 | -1): void {
    if (facts.leftOut !== undefined) {
      count(totals.nodesLeftOut, facts.leftOut, sign)
      return
    }
    const step = sign === 1 ? 1n : -1n
    totals.nodes += sign
    addTo(totals.capacity, facts.capacity, step)
    addTo(totals.allocatable, facts.allocatable, step)
    for (const { model, count: gpus } of facts.gpuModels)
      count(totals.gpuModels, model, sign * gpus)
    setFree(page, sign === 1 ? freeOnNode(facts.allocatable, page.requested) : undefined)
    for (const [user, used] of page.usedByUser) credit(totals.usedByUser, user, used, step)
  }

  function setFree(page: Page, free: Resources | undefined): void {
    if (page.free) addTo(totals.free, page.free, -1n)
    if (free) addTo(totals.free, free, 1n)
    page.free = free
  }

  function book(pod: PodShare, step: 1n | -1n): void {
    const page = pageOf(pod.node)
    addTo(page.requested, pod.requests, step)
    if (pod.problem !== undefined) {
      if (step === 1n) page.problems.add(pod.problem)
      else page.problems.delete(pod.problem)
    }
    const isCounted = page.free !== undefined
    if (pod.creatorUser !== undefined) {
      const used = new Map(Object.entries(creditOf(pod.requests)))
      credit(page.usedByUser, pod.creatorUser, used, step)
      if (isCounted) credit(totals.usedByUser, pod.creatorUser, used, step)
    }
    if (page.facts && isCounted) setFree(page, freeOnNode(page.facts.allocatable, page.requested))
    if (isCounted) extremes = undefined
    forgetIfEmpty(pod.node, page)
  }

  function forgetIfEmpty(name: string, page: Page): void {
    if (page.facts === undefined && page.requested.size === 0) pages.delete(name)
  }

  /** Once for many changes: asked for at most as often as an advertisement is made. */
  function findExtremes(): Extremes {
    const largestFit: Sums = new Map()
    const problems: string[] = []
    for (const { free, facts, problems: ofPods } of pages.values()) {
      if (!free) continue
      for (const name in free) {
        const amount = amountOf(free, name)
        if (amount > (largestFit.get(name) ?? 0n)) largestFit.set(name, amount)
      }
      if (facts?.problem !== undefined) problems.push(facts.problem)
      for (const problem of ofPods) problems.push(problem)
    }
    return { largestFit, problems: problems.sort() }
  }

  return {
    /** Also for a node that is already there. */
    setNode: (facts: NodeFacts): void => place(pageOf(facts.name), facts),
    removeNode(name: string): void {
      const page = pageOf(name)
      place(page, undefined)
      forgetIfEmpty(name, page)
    },
    addPod: (pod: PodShare): void => book(pod, 1n),
    /** With a share equal to the one that was added. */
    removePod: (pod: PodShare): void => book(pod, -1n),
    measure(borrowersOf: BorrowersOf): Measurement {
      extremes ??= findExtremes()
      return toMeasurement(totals, extremes, borrowersOf)
    },
  }
}

function count<K>(counts: Map<K, number>, key: K, by: number): void {
  const total = (counts.get(key) ?? 0) + by
  if (total === 0) counts.delete(key)
  else counts.set(key, total)
}

function credit(users: Map<string, Sums>, user: string, used: Sums, step: 1n | -1n): void {
  const sums = users.get(user) ?? new Map()
  for (const [name, amount] of used) bump(sums, name, amount * step)
  if (sums.size === 0) users.delete(user)
  else users.set(user, sums)
}
