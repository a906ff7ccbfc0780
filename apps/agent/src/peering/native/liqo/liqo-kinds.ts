import type { Kind } from '@bourse/kube'

/** Liqo's kinds, as of its 1.0 line. Readers and writers of each are beside this file. */
export const LIQO_TENANT = liqo('authentication', 'Tenant')
export const IDENTITY = liqo('authentication', 'Identity', 'identities')
export const RESOURCE_SLICE = liqo('authentication', 'ResourceSlice')
export const VIRTUAL_NODE = liqo('offloading', 'VirtualNode')
export const LIQO_QUOTA = liqo('offloading', 'Quota')
export const NAMESPACE_OFFLOADING = liqo('offloading', 'NamespaceOffloading')
/** Which namespaces of a requester have a copy at a provider; Liqo carries it there. */
export const NAMESPACE_MAP = liqo('offloading', 'NamespaceMap')
export const SHADOW_POD = liqo('offloading', 'ShadowPod')
export const CONFIGURATION = liqo('networking', 'Configuration')
export const GATEWAY_SERVER = liqo('networking', 'GatewayServer')
export const GATEWAY_CLIENT = liqo('networking', 'GatewayClient')
/** Its plural is what the CRD says. */
export const PUBLIC_KEY = liqo('networking', 'PublicKey', 'publickeies')
export const CONNECTION = liqo('networking', 'Connection')
export const NETWORK: Kind = { ...liqo('ipam', 'Network'), version: 'v1alpha1' }
export const FOREIGN_CLUSTER: Kind = { ...liqo('core', 'ForeignCluster'), namespaced: false }

function liqo(group: string, kind: string, plural = `${kind.toLowerCase()}s`): Kind {
  return { group: `${group}.liqo.io`, version: 'v1beta1', plural, kind, namespaced: true }
}

/** Whom an object is about, by Liqo's own id of that cluster. */
export const REMOTE_LABEL = 'liqo.io/remote-cluster-id'
export const LIQO_TENANT_NAMESPACE_LABEL = 'liqo.io/tenant-namespace'
/** On what is to be copied to the other cluster, and on the copy. */
export const REPLICATION_LABEL = 'liqo.io/replication'
export const REPLICATED_LABEL = 'liqo.io/replicated'
export const DESTINATION_LABEL = 'liqo.io/remoteID'
export const ORIGIN_LABEL = 'liqo.io/originID'
export const NODE_TYPE_LABEL = 'liqo.io/type'
export const VIRTUAL_NODE_TYPE = 'virtual-node'
/** Ours, on every object that this agent makes for a reservation. */
export const RESERVATION_LABEL = 'bourse.dev/reservation'
/** Ours, on every object that this agent makes for a peering: the other side's cluster id. */
export const PEER_LABEL = 'bourse.dev/peer'
/** On what this agent makes for several reservations at once. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by'
export const MANAGED_BY = 'bourse-agent'
