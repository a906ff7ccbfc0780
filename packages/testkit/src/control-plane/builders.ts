type Amounts = Readonly<Record<string, string>>
type Meta = Readonly<{ labels?: Amounts; annotations?: Amounts }>
type Taint = Readonly<{ key: string; value?: string; effect: string }>
type NodeMore = Meta & Readonly<{ taints?: readonly Taint[]; unschedulable?: boolean }>
type PodMore = Meta & Readonly<{ namespace?: string; nodeName?: string }>

/** A node that kwok makes Ready: this much, all of it allocatable. */
export function aNode(name: string, amounts: Amounts = {}, more: NodeMore = {}) {
  const { labels = {}, annotations = {}, ...spec } = more
  const capacity = { cpu: '8', memory: '32Gi', pods: '110', ...amounts }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels }, annotations },
    spec,
    status: { capacity, allocatable: capacity },
  }
}

/** A pod that asks for this much; the scheduler finds it a node unless it is given one. */
export function aPod(
  name: string,
  requests: Amounts = { cpu: '1', memory: '1Gi' },
  { labels = {}, annotations = {}, namespace = 'default', ...spec }: PodMore = {},
) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations },
    spec: {
      containers: [{ name: 'main', image: 'example.org/idle', resources: { requests } }],
      // A new node is marked not ready at first, and without controllers it stays so.
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
      ...spec,
    },
  }
}
