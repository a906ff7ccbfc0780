import { amountOf, type Resources } from '@bourse/domain/quantity'
import { type BorrowersOf, creditOf } from './borrowers.ts'
import type { Measurement } from './measurement.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PodShare } from './pod-share.ts'
import { addTo, freeOnNode, type Sums } from './sums.ts'
import { createTotals, type Totals, toMeasurement } from './totals.ts'

type Cluster = Readonly<{ nodes: Iterable<NodeFacts>; pods: Iterable<PodShare> }>

/** The whole count, from nothing: what the tally's steps must add up to. */
export function measure({ nodes, pods }: Cluster, borrowersOf: BorrowersOf): Measurement {
  const podsByNode = Map.groupBy(pods, ({ node }) => node)
  const totals = createTotals()
  const largestFit: Sums = new Map()
  const problems: string[] = []
  for (const node of nodes) {
    if (node.leftOut !== undefined) {
      const before = totals.nodesLeftOut.get(node.leftOut) ?? 0
      totals.nodesLeftOut.set(node.leftOut, before + 1)
      continue
    }
    const residents = podsByNode.get(node.name) ?? []
    countNode(totals, node)
    const free = freeOnNode(node.allocatable, requestedBy(residents))
    addTo(totals.free, free, 1n)
    raise(largestFit, free)
    for (const pod of residents) countUse(totals, pod)
    for (const { problem } of [node, ...residents])
      if (problem !== undefined) problems.push(problem)
  }
  return toMeasurement(totals, { largestFit, problems: problems.sort() }, borrowersOf)
}

function countNode(totals: Totals, node: NodeFacts): void {
  totals.nodes += 1
  addTo(totals.capacity, node.capacity, 1n)
  addTo(totals.allocatable, node.allocatable, 1n)
  for (const { model, count } of node.gpuModels)
    totals.gpuModels.set(model, (totals.gpuModels.get(model) ?? 0) + count)
}

function countUse({ usedByUser }: Totals, { creatorUser, requests }: PodShare): void {
  if (creatorUser === undefined) return
  const used = usedByUser.get(creatorUser) ?? new Map()
  addTo(used, creditOf(requests), 1n)
  usedByUser.set(creatorUser, used)
}

function requestedBy(pods: readonly PodShare[]): Sums {
  const requested: Sums = new Map()
  for (const { requests } of pods) addTo(requested, requests, 1n)
  return requested
}

function raise(largest: Sums, free: Resources): void {
  for (const name in free) {
    const amount = amountOf(free, name)
    if (amount > (largest.get(name) ?? 0n)) largest.set(name, amount)
  }
}
