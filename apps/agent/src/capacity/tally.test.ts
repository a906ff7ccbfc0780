import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aCountedNode, aShare } from '../../fixtures/capacity/capacity.ts'
import { measure } from '../../fixtures/capacity/measure.ts'
import { ALL } from './amounts.ts'
import type { BorrowersOf } from './borrowers.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PodShare } from './pod-share.ts'
import { createTally } from './tally.ts'

const NODES = ['n1', 'n2', 'n3']

/** `rome` has one reservation, `paris` two that share a user; `berlin` has none. */
const borrowersOf: BorrowersOf = (user) => {
  const of = (reservation: string) => ({ reservation, resources: { cpu: 2_000n } })
  if (user === 'rome') return [of('r1')]
  return user === 'paris' ? [of('p1'), of('p2')] : []
}

const anAmount = fc.bigInt(0n, 6_000n)
const aNodeFacts: fc.Arbitrary<NodeFacts> = fc
  .record({
    name: fc.constantFrom(...NODES),
    leftOut: fc.constantFrom(undefined, undefined, undefined, 'NotReady', 'Cordoned', 'Tainted'),
    amounts: fc.record(
      { cpu: anAmount, 'nvidia.com/gpu': fc.bigInt(0n, 3n) },
      { requiredKeys: [] },
    ),
    pods: fc.bigInt(0n, 5n),
    gpus: fc.integer({ min: 0, max: 2 }),
    problem: fc.constantFrom(undefined, undefined, 'The node is odd.'),
  })
  .map(({ name, leftOut, amounts, pods, gpus, problem }) =>
    aCountedNode(
      name,
      { ...amounts, pods },
      { leftOut, problem, gpuModels: gpus > 0 ? [{ model: 'T4', count: gpus }] : [] },
    ),
  )

const aPodShare: fc.Arbitrary<PodShare> = fc
  .record({
    node: fc.constantFrom(...NODES, 'unknown'),
    requests: fc.record(
      { cpu: fc.oneof(anAmount, fc.constant(ALL)), 'nvidia.com/gpu': fc.bigInt(0n, 2n) },
      { requiredKeys: [] },
    ),
    creatorUser: fc.constantFrom(undefined, 'rome', 'paris', 'berlin'),
  })
  .map(({ node, requests, creatorUser }) => aShare(node, requests, { creatorUser }))

type Step =
  | Readonly<{ kind: 'node'; node: NodeFacts }>
  | Readonly<{ kind: 'node gone'; name: string }>
  | Readonly<{ kind: 'pod'; key: number; pod: PodShare }>
  | Readonly<{ kind: 'pod gone'; key: number }>

const aKey = fc.integer({ min: 0, max: 8 })
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('node' as const), node: aNodeFacts }),
  fc.record({ kind: fc.constant('node gone' as const), name: fc.constantFrom(...NODES) }),
  fc.record({ kind: fc.constant('pod' as const), key: aKey, pod: aPodShare }),
  fc.record({ kind: fc.constant('pod gone' as const), key: aKey }),
)

/** The tally beside plain maps of what there is, which are counted from nothing. */
function createPair() {
  const tally = createTally()
  const nodes = new Map<string, NodeFacts>()
  const pods = new Map<number, PodShare>()

  function removePod(key: number): void {
    const pod = pods.get(key)
    // Equal, not the same: the watch keeps a later object of the pod than the tally was given.
    if (pod) tally.removePod({ ...pod })
    pods.delete(key)
  }

  function take(step: Step): void {
    switch (step.kind) {
      case 'node':
        tally.setNode(step.node)
        nodes.set(step.node.name, step.node)
        break
      case 'node gone':
        if (nodes.delete(step.name)) tally.removeNode(step.name)
        break
      case 'pod': {
        removePod(step.key)
        const odd = step.pod.requests.cpu === ALL
        const pod = { ...step.pod, problem: odd ? `Pod ${step.key} is odd.` : undefined }
        tally.addPod(pod)
        pods.set(step.key, pod)
        break
      }
      case 'pod gone':
        removePod(step.key)
        break
    }
  }
  const recount = () => measure({ nodes: nodes.values(), pods: pods.values() }, borrowersOf)
  return { take, counted: () => tally.measure(borrowersOf), recount }
}

describe('a tally', () => {
  it('equals a full count after every step, in every order of nodes and pods', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60 }), (steps) => {
        const { take, counted, recount } = createPair()
        for (const step of steps) {
          take(step)
          expect(counted()).toEqual(recount())
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is empty again after a thousand flaps of a node and the end of its pods', () => {
    const tally = createTally()
    const pods = Array.from({ length: 50 }, () =>
      aShare('n1', { cpu: 100n }, { creatorUser: 'rome' }),
    )
    const ready = aCountedNode('n1')
    for (const pod of pods) tally.addPod(pod)

    for (let flap = 0; flap < 1_000; flap++) {
      tally.setNode(ready)
      tally.setNode({ ...ready, leftOut: 'NotReady' })
    }
    tally.setNode(ready)

    expect(tally.measure(borrowersOf)).toMatchObject({
      allocated: { cpu: 5_000n, pods: 50n },
      used: new Map([['r1', { cpu: 5_000n, pods: 50n }]]),
      nodes: 1,
      nodesLeftOut: {},
    })

    for (const pod of pods) tally.removePod(pod)
    tally.removeNode('n1')

    expect(tally.measure(borrowersOf)).toEqual(createTally().measure(borrowersOf))
  })
})
