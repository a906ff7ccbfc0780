import { createSignal } from '@bourse/daemon/signal'
import {
  type Clock,
  createReflector,
  isNotFound,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Reflector,
  type Selection,
} from '@bourse/kube'
import { NAMESPACE, NODE, SECRET } from '../../../kubernetes/kinds.ts'
import type { ForeignCluster } from './foreign-cluster.ts'
import { type Identity, identityName } from './identity.ts'
import { LABEL, LIQO, VIRTUAL_NODE_TYPE } from './liqo-kinds.ts'
import type { LiqoTenant } from './liqo-tenant.ts'
import { type NamespaceOffloading, OFFLOADING_NAME } from './namespace-offloading.ts'
import { followNetworks } from './network-objects.ts'
import type { Node, ResourceSlice, VirtualNode } from './resource-slice.ts'
import { NONCE_NAME, type Secret, SIGNED_NONCE_NAME } from './secrets.ts'

/** Which peering a change is about, and which slice or offloaded namespace if it is about one. */
export type LiqoChange = Readonly<{
  liqoId?: string | undefined
  slice?: string | undefined
  namespace?: string | undefined
}>

export type LiqoObjects = ReturnType<typeof createLiqoObjects>

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  onTrouble(error: Error, watched: string, pauseMs: number): void
  clock: Clock
  /** Whether tunnels are followed, too. */
  withNetworking?: boolean
}>

/** A mirror of the objects of peerings in this cluster, Liqo's and ours. */
export function createLiqoObjects({ client, onTrouble, clock, withNetworking }: Ports) {
  const changed = createSignal<[change: LiqoChange]>()
  const known = createSignal()
  const all: Reflector<unknown>[] = []
  /** Kinds that this API server does not know. */
  const absent = new Set<string>()

  function follow<T extends KubeObject>(
    kind: Kind,
    selection: Selection,
    about?: 'slice' | 'namespace',
    isNews: (item: T, before: T) => boolean = () => true,
  ) {
    const tell = ({ metadata }: T) => {
      const slice = about === 'slice' ? metadata.name : undefined
      const namespace = about === 'namespace' ? metadata.namespace : undefined
      const liqoId = metadata.labels?.[LABEL.remote]
      changed.tell({ liqoId, slice, namespace })
    }
    const reflector = createReflector<T, T>({
      client,
      kind,
      ...selection,
      clock,
      on: {
        added: tell,
        removed: tell,
        synced() {
          absent.delete(kind.plural)
          known.tell()
        },
        changed: (item, before) => isNews(item, before) && tell(item),
      },
      onTrouble(error, pauseMs) {
        const isNew = !isNotFound(error) || !absent.has(kind.plural)
        if (isNotFound(error)) absent.add(kind.plural)
        if (!isNew) return
        onTrouble(error, kind.plural, pauseMs)
        known.tell()
      },
    })
    all.push(reflector)
    return reflector
  }

  const labelled = (label: string, value = 'true') => ({ labelSelector: `${label}=${value}` })
  // By name: the agent may then be allowed to read these secrets, and no others.
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` })
  const namespaces = follow<KubeObject>(NAMESPACE, labelled(LABEL.tenantNamespace))
  const nonces = follow<Secret>(SECRET, named(NONCE_NAME))
  const signedNonces = follow<Secret>(SECRET, named(SIGNED_NONCE_NAME))
  const liqoTenants = follow<LiqoTenant>(LIQO.tenant, {})
  const identities = follow<Identity>(LIQO.identity, {})
  const foreignClusters = follow<ForeignCluster>(LIQO.foreignCluster, {})
  const slices = follow<ResourceSlice>(LIQO.resourceSlice, labelled(LABEL.replication), 'slice')
  const virtualNodes = follow<VirtualNode>(LIQO.virtualNode, {}, 'slice')
  const nodes = follow<Node>(NODE, labelled(LABEL.nodeType, VIRTUAL_NODE_TYPE), 'slice')
  const offloadings = follow<NamespaceOffloading>(LIQO.namespaceOffloading, {}, 'namespace')
  const networks = withNetworking
    ? followNetworks((kind, isNews) => follow(kind, {}, undefined, isNews))
    : undefined

  return {
    /** Whether there is no Liqo here, so that there is nothing of it either. */
    isAbsent: (): boolean => absent.has(LIQO.resourceSlice.plural),
    /** What is not known yet, by its plural; nothing is done before all is. */
    missing: (): string | undefined => all.find((one) => !one.isSynced())?.kind.plural,
    /** Both ends of tunnels, as far as they are here; undefined without networking. */
    networks,
    liqoTenantNamespace: (liqoId: string) =>
      find(namespaces, ({ metadata }) => metadata.labels?.[LABEL.remote] === liqoId),
    nonce: (namespace: string) => nonces.get(`${namespace}/${NONCE_NAME}`),
    signedNonces: () => [...signedNonces.items()],
    signedNonce: (namespace: string) => signedNonces.get(`${namespace}/${SIGNED_NONCE_NAME}`),
    liqoTenant: (liqoId: string) => find(liqoTenants, ({ spec }) => spec?.clusterID === liqoId),
    identity: (namespace: string, liqoId: string) =>
      identities.get(`${namespace}/${identityName(liqoId)}`),
    identities: () => [...identities.items()],
    foreignCluster: (liqoId: string) =>
      find(foreignClusters, ({ metadata }) => metadata.labels?.[LABEL.remote] === liqoId),
    slice: (name: string) => find(slices, ({ metadata }) => metadata.name === name),
    slices: () => [...slices.items()],
    /** Whether this namespace has no objects of a peering, ours or others'. */
    isEmpty: (namespace: string, liqoId: string): boolean =>
      networks?.isFree(liqoId) !== false &&
      [identities, slices, virtualNodes, nonces, signedNonces].every(
        (kind: Reflector<KubeObject>) =>
          !find(kind, ({ metadata }) => metadata.namespace === namespace),
      ),
    virtualNode: (name: string) => find(virtualNodes, ({ metadata }) => metadata.name === name),
    node: (name: string) => nodes.get(name),
    nodes: () => [...nodes.items()],
    namespaceOffloading: (namespace: string) => offloadings.get(`${namespace}/${OFFLOADING_NAME}`),
    subscribe: changed.subscribe,
    /** Called just before a kind is synced, or when the API server does not know a kind. */
    onKnown: known.subscribe,
    async stop(): Promise<void> {
      await Promise.all(all.map((one) => one.stop()))
    },
  }
}

function find<T>(reflector: Reflector<T>, isIt: (item: T) => boolean): T | undefined {
  for (const item of reflector.items()) if (isIt(item)) return item
  return undefined
}
