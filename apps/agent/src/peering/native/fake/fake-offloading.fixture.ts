import {
  addFinalizer,
  isBeingDeleted,
  isSameJson,
  type KubeObject,
  removeFinalizer,
} from '@bourse/kube'
import { NODE } from '../../../kubernetes/kinds.ts'
import { type ForeignCluster, isWrittenOff } from '../liqo/foreign-cluster.ts'
import { type Identity, identityName } from '../liqo/identity.ts'
import {
  DESTINATION_LABEL,
  FOREIGN_CLUSTER,
  IDENTITY,
  LIQO_QUOTA,
  LIQO_TENANT,
  NAMESPACE_OFFLOADING,
  NODE_TYPE_LABEL,
  ORIGIN_LABEL,
  REMOTE_LABEL,
  REPLICATED_LABEL,
  RESOURCE_SLICE,
  VIRTUAL_NODE,
  VIRTUAL_NODE_TYPE,
} from '../liqo/liqo-kinds.ts'
import type { LiqoTenant } from '../liqo/liqo-tenant.ts'
import { clustersIn, type NamespaceOffloading } from '../liqo/namespace-offloading.ts'
import {
  type Node,
  type ResourceSlice,
  sliceCondition,
  sliceUserOf,
  type VirtualNode,
} from '../liqo/resource-slice.ts'
import type { FakeLiqo, FakeWorld } from './fake-liqo.fixture.ts'

const REPLICATOR = 'crdreplicator.liqo.io/resource'
const KUBELET = 'virtualnode-controller.liqo.io/finalizer'

/** Slices carried over and back, quotas, and a Node for each VirtualNode. */
export async function offload(liqo: FakeLiqo, world: FakeWorld): Promise<void> {
  for (const slice of liqo.cluster.all<ResourceSlice>(RESOURCE_SLICE))
    await (slice.metadata.labels?.[REPLICATED_LABEL]
      ? serve(liqo, slice)
      : carry(liqo, world, slice))
  for (const node of liqo.cluster.all<VirtualNode>(VIRTUAL_NODE)) await show(liqo, node)
  for (const one of liqo.cluster.all<NamespaceOffloading>(NAMESPACE_OFFLOADING))
    await accept(liqo, one)
}

/** The requester's replicator: the spec goes there, the status comes back. */
async function carry(liqo: FakeLiqo, world: FakeWorld, slice: ResourceSlice): Promise<void> {
  const { client } = liqo.cluster
  const ports = { client, kind: RESOURCE_SLICE }
  const provider = slice.metadata.labels?.[DESTINATION_LABEL] ?? ''
  const known = liqo.cluster.find<ForeignCluster>(FOREIGN_CLUSTER, provider)
  if (isBeingDeleted(slice) && known && isWrittenOff(known))
    return removeFinalizer(ports, slice, REPLICATOR)
  const there = wayTo(liqo, world, provider)
  if (!there) return
  const copy = there.cluster
    .all<ResourceSlice>(RESOURCE_SLICE)
    .find(
      ({ metadata }) =>
        metadata.name === slice.metadata.name && metadata.namespace === there.namespace,
    )
  if (isBeingDeleted(slice)) {
    if (!copy) return removeFinalizer(ports, slice, REPLICATOR)
    return there.cluster.client.delete(RESOURCE_SLICE, copy.metadata)
  }
  await addFinalizer(ports, slice, REPLICATOR)
  const spec = { ...slice.spec, class: slice.spec?.class ?? '', consumerClusterID: liqo.liqoId }
  if (!copy) {
    const labels = {
      [REPLICATED_LABEL]: 'true',
      [ORIGIN_LABEL]: liqo.liqoId,
      [REMOTE_LABEL]: liqo.liqoId,
    }
    const metadata = { name: slice.metadata.name, namespace: there.namespace, labels }
    await there.cluster.client.create<ResourceSlice>(RESOURCE_SLICE, {
      ...slice,
      metadata,
      spec,
      status: {},
    })
    return
  }
  if (!isSameJson(copy.spec, spec))
    await there.cluster.client.mergePatch(RESOURCE_SLICE, copy.metadata, { spec })
  const { status = {} } = copy
  const now = liqo.cluster.find<ResourceSlice>(RESOURCE_SLICE, slice.metadata.name)
  if (now && !isSameJson(now.status ?? {}, status))
    await client.replaceStatus<ResourceSlice>(RESOURCE_SLICE, { ...now, status })
  if (now && sliceCondition(copy, 'Resources')?.status === 'Accepted')
    await plan(liqo, now, status.resources ?? {})
}

/** By an Identity that its Tenant stands behind, as long as the cluster is reached. */
function wayTo({ liqoId, cluster }: FakeLiqo, world: FakeWorld, provider: string) {
  const other = world.liqos.get(provider)
  const identity = cluster.find<Identity>(IDENTITY, identityName(provider))
  const tenant = other?.cluster
    .all<LiqoTenant>(LIQO_TENANT)
    .find(({ spec }) => spec?.clusterID === liqoId)
  if (!other || !identity || !tenant || world.unreachable.has(provider)) return undefined
  return { cluster: other.cluster, namespace: identity.spec?.namespace ?? '' }
}

/** The provider's part: it certifies the slice, and makes a Quota of what was granted. */
async function serve({ cluster }: FakeLiqo, slice: ResourceSlice): Promise<void> {
  const { client } = cluster
  if (sliceCondition(slice, 'Authentication') === undefined) {
    const conditions = [{ type: 'Authentication', status: 'Accepted' } as const]
    await client.replaceStatus<ResourceSlice>(RESOURCE_SLICE, {
      ...slice,
      status: { ...slice.status, conditions },
    })
    return
  }
  const name = sliceUserOf(slice.metadata.name, slice.spec?.consumerClusterID ?? '')
  if (sliceCondition(slice, 'Resources')?.status !== 'Accepted' || cluster.find(LIQO_QUOTA, name))
    return
  const { namespace } = slice.metadata
  const metadata = { name, ...(namespace && { namespace }), ownerReferences: [ownerOf(slice)] }
  await client.create(LIQO_QUOTA, {
    apiVersion: 'offloading.liqo.io/v1beta1',
    kind: 'Quota',
    metadata,
    spec: { user: name, resources: slice.status?.resources },
  })
}

async function plan({ cluster }: FakeLiqo, slice: ResourceSlice, hard: Record<string, string>) {
  const known = cluster.find<VirtualNode>(VIRTUAL_NODE, slice.metadata.name)
  const spec = { resourceQuota: { hard } }
  if (known && isSameJson(known.spec?.resourceQuota, spec.resourceQuota)) return
  if (known) await cluster.client.mergePatch(VIRTUAL_NODE, known.metadata, { spec })
  else {
    const { name, namespace = '', labels = {} } = slice.metadata
    const owned = { finalizers: [KUBELET], ownerReferences: [ownerOf(slice)] }
    const metadata = { name, namespace, labels, ...owned }
    await cluster.client.create<VirtualNode>(VIRTUAL_NODE, {
      apiVersion: 'offloading.liqo.io/v1beta1',
      kind: 'VirtualNode',
      metadata,
      spec,
    })
  }
}

/** The virtual-kubelet. */
async function show({ cluster }: FakeLiqo, virtualNode: VirtualNode): Promise<void> {
  const { client } = cluster
  const { name } = virtualNode.metadata
  const known = cluster.find<Node>(NODE, name)
  if (isBeingDeleted(virtualNode)) {
    if (known) return client.delete(NODE, { name })
    return removeFinalizer({ client, kind: VIRTUAL_NODE }, virtualNode, KUBELET)
  }
  const allocatable = virtualNode.spec?.resourceQuota?.hard ?? {}
  const conditions = [{ type: 'Ready', status: 'True' } as const]
  const status = { allocatable, conditions }
  const labels = { ...virtualNode.metadata.labels, [NODE_TYPE_LABEL]: VIRTUAL_NODE_TYPE }
  const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status }
  if (!known) await client.create(NODE, node)
  else if (!isSameJson(known.status, status)) await client.replaceStatus(NODE, { ...known, status })
}

/** The namespace is there in every cluster that is selected. */
async function accept({ cluster }: FakeLiqo, object: NamespaceOffloading): Promise<void> {
  const conditions = ['OffloadingRequired', 'Ready'].map((type) => ({ type, status: 'True' }))
  const entries = clustersIn(object).map((liqoId) => [liqoId, conditions] as const)
  const status = {
    offloadingPhase: 'Ready',
    remoteNamespacesConditions: Object.fromEntries(entries),
  }
  if (!isSameJson(object.status, status))
    await cluster.client.replaceStatus(NAMESPACE_OFFLOADING, { ...object, status })
}

function ownerOf({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }
}
