import { aNode, aPod } from '@bourse/testkit/control-plane'

/** What a cluster has that neither the agent nor the broker is to touch, and what each needs. */
export const TENANT = 'liqo-tenant-paris'
export const BY_HAND = 'liqo-tenant-by-hand'
/** What Liqo has made for the pods of another cluster. */
export const GUESTS = 'shop-oslo'
export const OWN = 'bourse-system'
/** Of the broker's chart: its authority, its certificate, an operator's. */
export const RELEASE_SECRETS = ['ca', 'certificates', 'operator'].map(
  (name) => `bourse-broker-${name}`,
)
const PAUSE = 'registry.k8s.io/pause:3.10'
export const RESOURCE_REQUEST_FINALIZER = 'resourcerequest.liqo.io/finalizer'
const REMOTE = 'liqo.io/remote-cluster-id'
const AUTHENTICATION = 'authentication.liqo.io/v1beta1'
const OFFLOADING = 'offloading.liqo.io/v1beta1'

type Labels = Readonly<Record<string, string>>
type Meta = Readonly<{ name: string; namespace?: string; labels?: Labels }>

export const object = (apiVersion: string, kind: string, metadata: Meta, rest: object = {}) => ({
  ...{ apiVersion, kind, metadata },
  ...rest,
})

/** An owner that does not exist: an object with it is collected as garbage. */
export const OWNER_GONE = {
  metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'gone' }] },
}

export const secret = (namespace: string, name: string, rest: object = {}) =>
  object('v1', 'Secret', { name, namespace }, rest)

export const tenant = (name: string, namespace: string, { labels = {}, spec = {} } = {}) =>
  object(AUTHENTICATION, 'Tenant', { name, namespace, labels }, { spec: tenantSpec(name, spec) })

const tenantSpec = (clusterID: string, spec: object) => ({
  ...{ clusterID, authzPolicy: 'KeysExchange', publicKey: 'a2V5', csr: 'Y3Ny', signature: 'c2ln' },
  ...spec,
})

export const identity = (namespace: string, { labels = {}, spec = {} } = {}) =>
  object(
    AUTHENTICATION,
    'Identity',
    { name: 'controlplane-paris', namespace, labels },
    {
      spec: {
        ...{ clusterID: 'paris', type: 'ControlPlane' },
        authParams: { ca: 'Y2E=', signedCRT: 'Y3J0', apiServer: 'https://paris.example:6443' },
        ...spec,
      },
    },
  )

export const slice = (name: string, namespace: string, labels: Labels) =>
  object(
    AUTHENTICATION,
    'ResourceSlice',
    { name, namespace, labels },
    { spec: { class: 'bourse', providerClusterID: 'paris', resources: { cpu: '1' } } },
  )

export const offloading = (namespace: string, labels: Labels) =>
  object(
    OFFLOADING,
    'NamespaceOffloading',
    { name: 'offloading', namespace, labels },
    { spec: { podOffloadingStrategy: 'LocalAndRemote' } },
  )

const virtualNode = (name: string) =>
  object(OFFLOADING, 'VirtualNode', { name, namespace: TENANT }, { spec: { clusterID: 'paris' } })

export const gateway = (namespace: string) =>
  object(
    'networking.liqo.io/v1beta1',
    'GatewayServer',
    { name: 'bourse', namespace, labels: { ...OF_PARIS, ...OURS } },
    {
      spec: {
        ...{ mtu: 1340, endpoint: { port: 51840, serviceType: 'ClusterIP' } },
        serverTemplateRef: {
          ...{ apiVersion: 'networking.liqo.io/v1beta1', kind: 'WgGatewayServerTemplate' },
          ...{ name: 'wireguard-server', namespace: 'liqo' },
        },
      },
    },
  )

const foreignCluster = (clusterID: string) =>
  object(
    'core.liqo.io/v1beta1',
    'ForeignCluster',
    { name: clusterID, labels: { [REMOTE]: clusterID } },
    { spec: { clusterID } },
  )

const shadowPod = (namespace: string, name: string, user: string) =>
  object(OFFLOADING, 'ShadowPod', {
    ...{ name, namespace },
    labels: { 'liqo.io/creator-user': user },
  })

export const OURS = { 'bourse.dev/peer': 'paris' }
export const OF_PARIS = { [REMOTE]: 'paris' }
export const MANAGED = { 'app.kubernetes.io/managed-by': 'bourse-agent' }

export const tenantNamespace = (name: string, cluster: string, labels: Labels = {}) =>
  object('v1', 'Namespace', {
    name,
    labels: { 'liqo.io/tenant-namespace': 'true', [REMOTE]: cluster, ...labels },
  })

export const event = (reportingController: string) =>
  object(
    'events.k8s.io/v1',
    'Event',
    { name: `told-by-${reportingController.replaceAll(/\W/g, '-')}`, namespace: 'default' },
    {
      ...{ eventTime: '2030-01-01T00:00:00.000000Z', reportingController, type: 'Normal' },
      ...{ reportingInstance: 'one', action: 'Tell', reason: 'Told', note: 'Told.' },
      regarding: { kind: 'Pod', namespace: 'default', name: 'web', apiVersion: 'v1' },
    },
  )

/** As the restricted standard for pods wants it. */
const RESTRICTED = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
export const UNPRIVILEGED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }

export const placeholder = (spec: object = {}, container: object = {}) => ({
  ...object('v1', 'Pod', {
    ...{ name: 'hold-rsv-1-1', namespace: 'default' },
    labels: { 'bourse.dev/placeholder-for': 'rsv-1' },
  }),
  spec: {
    priorityClassName: 'bourse-placeholder',
    automountServiceAccountToken: false,
    securityContext: RESTRICTED,
    containers: [
      {
        ...{ name: 'placeholder', image: PAUSE },
        securityContext: UNPRIVILEGED,
        ...container,
      },
    ],
    ...spec,
  },
})

const VIRTUAL = { 'liqo.io/type': 'virtual-node' }
const lease = (name: string, namespace: string) =>
  object('coordination.k8s.io/v1', 'Lease', { name, namespace }, { spec: {} })
const pod = (name: string, namespace: string, more: object = {}) =>
  aPod(name, { cpu: '1' }, { namespace, ...more })
const ownPod = (name: string, serviceAccountName: string) => ({
  ...object('v1', 'Pod', { name, namespace: OWN }),
  spec: {
    serviceAccountName,
    securityContext: RESTRICTED,
    containers: [
      {
        ...{ name: 'main', image: 'example.org/bourse' },
        securityContext: UNPRIVILEGED,
      },
    ],
  },
})

export const NAMESPACES = [
  object('v1', 'Namespace', { name: 'liqo' }),
  object('v1', 'Namespace', { name: 'shop', labels: { 'liqo.io/scheduling-enabled': 'true' } }),
  tenantNamespace(TENANT, 'paris', OURS),
  tenantNamespace(BY_HAND, 'by-hand'),
  object('v1', 'Namespace', { name: GUESTS, labels: { [REMOTE]: 'oslo' } }),
]

export const THINGS = [
  ...['kube-system', 'default', OWN].map((namespace) =>
    object('v1', 'ServiceAccount', { name: 'powerful', namespace }),
  ),
  {
    ...object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', { name: 'powerful' }),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'powerful', namespace: 'kube-system' }],
  },
  secret('kube-system', 'powerful', { stringData: { token: 'secret' } }),
  ...[...RELEASE_SECRETS, 'bourse-agent-certificates'].map((name) => secret(OWN, name)),
  secret('shop', 'liqo-signed-nonce', { stringData: { nonce: 'of another' } }),
  secret(TENANT, 'liqo-nonce'),
  secret(TENANT, 'liqo-signed-nonce'),
  secret(TENANT, 'liqo-remote-certificate-res-rsv-1'),
  secret(TENANT, 'kubeconfig-controlplane-paris'),
  secret('liqo', 'authentication-keys', { stringData: { privateKey: 'key' } }),
  object('v1', 'ConfigMap', { name: 'settings', namespace: 'kube-system' }, { data: { a: 'b' } }),
  object('v1', 'Service', { name: 'web', namespace: 'shop' }, { spec: { ports: [{ port: 80 }] } }),
  aNode('worker-1', {}, { labels: { zone: 'a' } }),
  aNode('res-rsv-1', {}, { labels: VIRTUAL }),
  aNode('res-in-name-only', {}),
  pod('web', 'shop', { nodeName: 'worker-1' }),
  pod('borrowed', 'shop', { nodeName: 'res-rsv-1' }),
  pod('dns', 'kube-system', { nodeName: 'worker-1' }),
  pod('web', 'default', { nodeName: 'worker-1' }),
  pod('guest', 'shop', { labels: { 'liqo.io/managed-by': 'shadowpod' } }),
  ownPod('bourse-broker-0', 'bourse-broker'),
  ownPod('bourse-broker-1', 'bourse-broker'),
  ownPod('bourse-agent-0', 'bourse-agent'),
  ownPod('bourse-broker-certificates-0', 'bourse-broker-certificates'),
  lease('kube-scheduler', 'kube-system'),
  lease('bourse-agent', OWN),
  lease('bourse-broker', OWN),
  object(
    'liqo.io/v1alpha1',
    'ResourceRequest',
    { name: 'more', namespace: 'shop' },
    { spec: { cpu: 1, memory: '1Gi', duration: '1h' } },
  ),
  tenant('paris', TENANT, { labels: OURS }),
  tenant('by-hand', BY_HAND),
  slice('theirs', TENANT, { 'liqo.io/replicated': 'true' }),
  offloading('shop', {}),
  virtualNode('by-hand'),
  foreignCluster('paris'),
  foreignCluster('by-hand'),
  shadowPod(GUESTS, 'web', 'res-rsv-1-0123456789ab'),
  shadowPod(GUESTS, 'by-hand', 'a-user'),
  shadowPod('shop', 'web', 'res-rsv-1-0123456789ab'),
]
