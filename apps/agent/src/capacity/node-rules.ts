import type { LeftOut } from './measurement.ts'
import type { NodeObject, Taint } from './objects.ts'

/** A taint that borrowers' pods are known to tolerate; without value or effect: any. */
export type ToleratedTaint = Readonly<{
  key: string
  value?: string | undefined
  effect?: string | undefined
}>

/** Which nodes count, beyond what holds for all: Ready, not cordoned, not virtual. */
export type NodeRules = Readonly<{
  /** `by-taint`: as every other node; their taint keeps most of them out. */
  controlPlaneNodes: 'by-taint' | 'count' | 'leave-out'
  /** Whether a taint named as a resource of the node (GPU nodes often have one) is tolerated. */
  countDedicatedNodes: boolean
  toleratedTaints: readonly ToleratedTaint[]
}>

export const DEFAULT_NODE_RULES: NodeRules = {
  controlPlaneNodes: 'by-taint',
  countDedicatedNodes: true,
  toleratedTaints: [],
}

/** `master` is the name of old; both are still found on nodes, as label and as taint. */
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']
/** These follow what is judged above, a moment late, and only where a controller writes them. */
const ECHOES: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
])
const KEEPS_PODS_OUT: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute'])

/** Why a node is not counted; undefined: it is. The first reason that holds is the one told. */
export function leftOutBecause(node: NodeObject, rules: NodeRules): LeftOut | undefined {
  const { labels = {} } = node.metadata
  // Borrowed capacity is not one's own: lent on, it would be sold twice.
  if (labels['liqo.io/type'] === 'virtual-node') return 'VirtualNode'
  const isControlPlane = CONTROL_PLANE.some((label) => label in labels)
  if (isControlPlane && rules.controlPlaneNodes === 'leave-out') return 'ControlPlane'
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'True') return 'NotReady'
  if (node.spec?.unschedulable) return 'Cordoned'
  const blocking = node.spec?.taints?.find((taint) => isInTheWay(taint, node, rules))
  if (blocking === undefined) return undefined
  return CONTROL_PLANE.includes(blocking.key) ? 'ControlPlane' : 'Tainted'
}

function isInTheWay(taint: Taint, node: NodeObject, rules: NodeRules): boolean {
  if (!KEEPS_PODS_OUT.has(taint.effect) || ECHOES.has(taint.key)) return false
  if (rules.controlPlaneNodes === 'count' && CONTROL_PLANE.includes(taint.key)) return false
  // Pods that ask for such a resource tolerate its taint: by habit, or by the admission plugin
  // ExtendedResourceToleration.
  const isDedicated = taint.key in (node.status?.allocatable ?? {})
  if (rules.countDedicatedNodes && isDedicated) return false
  return !rules.toleratedTaints.some((tolerated) => tolerates(tolerated, taint))
}

function tolerates({ key, value, effect }: ToleratedTaint, taint: Taint): boolean {
  return (
    key === taint.key &&
    (value === undefined || value === (taint.value ?? '')) &&
    (effect === undefined || effect === taint.effect)
  )
}
