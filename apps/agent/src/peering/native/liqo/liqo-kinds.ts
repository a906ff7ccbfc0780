import type { Kind } from '@bourse/kube'

/** Liqo's kinds, as of its 1.0 line. Readers and writers of each are beside this file. */
export const LIQO = {
  tenant: liqo('authentication', 'Tenant'),
  identity: liqo('authentication', 'Identity', 'identities'),
  resourceSlice: liqo('authentication', 'ResourceSlice'),
  virtualNode: liqo('offloading', 'VirtualNode'),
  quota: liqo('offloading', 'Quota'),
  namespaceOffloading: liqo('offloading', 'NamespaceOffloading'),
  /** Which namespaces of a requester have a copy at a provider; Liqo carries it there. */
  namespaceMap: liqo('offloading', 'NamespaceMap'),
  shadowPod: liqo('offloading', 'ShadowPod'),
  configuration: liqo('networking', 'Configuration'),
  gatewayServer: liqo('networking', 'GatewayServer'),
  gatewayClient: liqo('networking', 'GatewayClient'),
  /** Its plural is what the CRD says. */
  publicKey: liqo('networking', 'PublicKey', 'publickeies'),
  connection: liqo('networking', 'Connection'),
  network: { ...liqo('ipam', 'Network'), version: 'v1alpha1' },
  foreignCluster: { ...liqo('core', 'ForeignCluster'), namespaced: false },
} as const

function liqo(group: string, kind: string, plural = `${kind.toLowerCase()}s`): Kind {
  return { group: `${group}.liqo.io`, version: 'v1beta1', plural, kind, namespaced: true }
}

/** Liqo's labels, and ours. */
export const LABEL = {
  /** Whom an object is about, by Liqo's own id of that cluster. */
  remote: 'liqo.io/remote-cluster-id',
  tenantNamespace: 'liqo.io/tenant-namespace',
  /** On what is to be copied to the other cluster, and on the copy. */
  replication: 'liqo.io/replication',
  replicated: 'liqo.io/replicated',
  destination: 'liqo.io/remoteID',
  origin: 'liqo.io/originID',
  nodeType: 'liqo.io/type',
  /** Ours, on every object that this agent makes for a reservation. */
  reservation: 'bourse.dev/reservation',
  /** Ours, on every object that this agent makes for a peering: the other side's cluster id. */
  peer: 'bourse.dev/peer',
  /** On what this agent makes for several reservations at once. */
  managedBy: 'app.kubernetes.io/managed-by',
} as const

export const VIRTUAL_NODE_TYPE = 'virtual-node'
export const MANAGED_BY = 'bourse-agent'
