import type { Resources } from '@bourse/domain/quantity'
import type { NodeFacts } from './node-facts.ts'
import type { PodShare } from './pod-share.ts'

/** A counted node of 8 cores and 110 slots, unless the test says otherwise. */
export function aCountedNode(
  name: string,
  allocatable: Resources = {},
  more: Partial<NodeFacts> = {},
): NodeFacts {
  const amounts: Resources = { cpu: 8_000n, pods: 110n, ...allocatable }
  return {
    name,
    leftOut: undefined,
    capacity: amounts,
    allocatable: amounts,
    gpuModels: [],
    problem: undefined,
    ...more,
  }
}

export function aShare(node: string, requests: Resources, more: Partial<PodShare> = {}): PodShare {
  return {
    node,
    requests: { ...requests, pods: 1n },
    creatorUser: undefined,
    problem: undefined,
    ...more,
  }
}
