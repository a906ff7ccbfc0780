import { createSignal } from '@bourse/daemon/signal'
import { createReflector, type KubeClient, type Listener, type Reflector } from '@bourse/kube'
import { NODE, POD } from '../kubernetes/kinds.ts'
import type { BorrowersOf } from './borrowers.ts'
import type { Measurement } from './measurement.ts'
import { isSameNode, type NodeFacts, readNode } from './node-facts.ts'
import type { NodeRules } from './node-rules.ts'
import type { NodeObject, PodObject } from './objects.ts'
import { createPodReader, isSameShare, type PodShare } from './pod-share.ts'
import { createTally, type Tally } from './tally.ts'

type CapacityPorts = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  rules: NodeRules
  /** Asked at every measurement, since reservations come and go while pods stay. */
  borrowersOf: BorrowersOf
  /** The namespace of the pods that keep room for reservations, if there are any. */
  placeholders?: string | undefined
  /** A watch failed, and is tried again after the pause. */
  onTrouble(error: Error, watched: 'nodes' | 'pods'): void
}>

/** As the scheduler watches pods, less those that have no node yet. */
const COUNTED_PODS = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed'

/** News waits longer than this before it is published. */
const GATHER_MS = 100

/**
 * ```
 *   watch of nodes ─► readNode ──┐
 *                                ├─► tally ─► current()
 *   watch of pods ─► readPod ────┘
 * ```
 */
export function createCapacityWatcher(ports: CapacityPorts) {
  const { client, rules, borrowersOf, onTrouble } = ports
  const tally = createTally()
  const news = createNews()
  let watches: readonly Reflector<unknown>[] = []

  const watchNodes = () =>
    createReflector<NodeFacts, NodeObject>({
      client,
      kind: NODE,
      isStreamed: true,
      gatherMs: GATHER_MS,
      decode: (node) => readNode(node, rules),
      on: nodeListener(tally, news.tell),
      onTrouble: (error) => onTrouble(error, 'nodes'),
    })
  const watchPods = () =>
    createReflector<PodShare, PodObject>({
      client,
      kind: POD,
      fieldSelector: COUNTED_PODS,
      isStreamed: true,
      gatherMs: GATHER_MS,
      decode: createPodReader(ports.placeholders),
      on: podListener(tally, news.tell),
      onTrouble: (error) => onTrouble(error, 'pods'),
    })

  return {
    /** Resolves when nodes and pods are known. */
    async start(): Promise<void> {
      watches = [watchNodes(), watchPods()]
      await Promise.all(watches.map(({ synced }) => synced))
      news.tell()
    },
    /** Undefined until then. */
    current(): Measurement | undefined {
      const isKnown = watches.length > 0 && watches.every((watch) => watch.isSynced())
      return isKnown ? tally.measure(borrowersOf) : undefined
    },
    /** Called after changes, at most once per turn of the event loop. */
    subscribe: news.subscribe,
    async stop(): Promise<void> {
      await Promise.all(watches.map((watch) => watch.stop()))
    },
  }
}

function nodeListener(tally: Tally, tell: () => void): Listener<NodeFacts> {
  return {
    added(node) {
      tally.setNode(node)
      tell()
    },
    changed(node, before) {
      if (isSameNode(node, before)) return
      tally.setNode(node)
      tell()
    },
    removed({ name }) {
      tally.removeNode(name)
      tell()
    },
  }
}

function podListener(tally: Tally, tell: () => void): Listener<PodShare> {
  return {
    added(pod) {
      tally.addPod(pod)
      tell()
    },
    changed(pod, before) {
      if (isSameShare(pod, before)) return
      tally.removePod(before)
      tally.addPod(pod)
      tell()
    },
    removed(pod) {
      tally.removePod(pod)
      tell()
    },
  }
}

/** Many changes at once, such as a first list, are told once. */
function createNews() {
  const changed = createSignal()
  let isDue = false

  function deliver(): void {
    isDue = false
    changed.tell()
  }
  return {
    tell() {
      if (isDue) return
      isDue = true
      setImmediate(deliver)
    },
    subscribe: changed.subscribe,
  }
}
