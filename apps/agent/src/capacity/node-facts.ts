import { amountOf, equal, type Resources } from '@bourse/domain/quantity'
import { isSameJson } from '@bourse/kube'
import { readSupply } from './amounts.ts'
import { type GpuModel, gpuModelsOf } from './gpu-models.ts'
import type { LeftOut } from './measurement.ts'
import { leftOutBecause, type NodeRules } from './node-rules.ts'
import type { NodeObject } from './objects.ts'

/** All that is kept of a node. */
export type NodeFacts = Readonly<{
  name: string
  leftOut: LeftOut | undefined
  capacity: Resources
  allocatable: Resources
  gpuModels: readonly GpuModel[]
  problem: string | undefined
}>

export function readNode(node: NodeObject, rules: NodeRules): NodeFacts {
  const { name, labels = {} } = node.metadata
  const problems: string[] = []
  const note = (resource: string, reason: string) => problems.push(`${resource}: ${reason}`)
  const allocatable = readSupply(node.status?.allocatable, note)
  const capacity = atLeast(readSupply(node.status?.capacity, note), allocatable)
  return {
    name,
    leftOut: leftOutBecause(node, rules),
    capacity,
    allocatable,
    gpuModels: gpuModelsOf(labels, allocatable),
    problem: problems.length > 0 ? sentence(name, problems) : undefined,
  }
}

/** Kubelets write a node's status every few minutes, mostly without a change that counts here. */
export function isSameNode(left: NodeFacts, right: NodeFacts): boolean {
  return (
    left.leftOut === right.leftOut &&
    left.problem === right.problem &&
    equal(left.capacity, right.capacity) &&
    equal(left.allocatable, right.allocatable) &&
    isSameJson(left.gpuModels, right.gpuModels)
  )
}

/** contract: allocatable above capacity is refused; a device plugin may have told only one. */
function atLeast(capacity: Resources, allocatable: Resources): Resources {
  const raised: Record<string, bigint> = { ...capacity }
  for (const name in allocatable) {
    const amount = amountOf(allocatable, name)
    if (amount > amountOf(capacity, name)) raised[name] = amount
  }
  return raised
}

function sentence(name: string, problems: readonly string[]): string {
  return `Node ${name} reports an amount that cannot be read (${problems[0]}): it counts as none.`
}
