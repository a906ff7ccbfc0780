import { attemptsOnCertificates } from './attempts-on-secrets.ts'
import { type Attempt, AUTHENTICATION, attempt, CORE, LEASES, OFFLOADING } from './caller.ts'
import {
  event,
  GUESTS,
  gateway,
  identity,
  MANAGED,
  OF_PARIS,
  OURS,
  OWN,
  object,
  offloading,
  placeholder,
  RESOURCE_REQUEST_FINALIZER,
  secret,
  slice,
  TENANT,
  tenant,
  tenantNamespace,
} from './scene.ts'

const EVENTS = 'POST /apis/events.k8s.io/v1/namespaces/default/events'
const labels = { ...OURS, ...OF_PARIS }

const agent: readonly Attempt[] = [
  attempt('sees nodes', 'GET /api/v1/nodes'),
  attempt('sees pods', 'GET /api/v1/pods'),
  attempt(
    'makes a tenant namespace',
    `POST ${CORE}`,
    tenantNamespace('liqo-tenant-oslo', 'oslo', { 'bourse.dev/peer': 'oslo' }),
  ),
  attempt('removes a tenant namespace of its own', `DELETE ${CORE}/${TENANT}`),
  attempt(
    'makes the Secret of a handshake',
    `POST ${CORE}/liqo-tenant-by-hand/secrets`,
    secret('liqo-tenant-by-hand', 'liqo-nonce'),
  ),
  attempt(
    'writes another nonce to be signed',
    `PUT ${CORE}/${TENANT}/secrets/liqo-signed-nonce`,
    secret(TENANT, 'liqo-signed-nonce', { stringData: { nonce: 'another' } }),
  ),
  attempt(
    'watches nonces of all tenant namespaces',
    'GET /api/v1/secrets?fieldSelector=metadata.name%3Dliqo-nonce',
  ),
  attempt(
    'removes the certificate of a slice',
    `DELETE ${CORE}/${TENANT}/secrets/liqo-remote-certificate-res-rsv-1`,
  ),
  attempt('reads the key that Liqo signs with', `GET ${CORE}/liqo/secrets/authentication-keys`),
  attempt(
    'certifies a peer',
    `PATCH ${AUTHENTICATION}/${TENANT}/tenants/paris`,
    tenant('paris', TENANT, { labels }),
  ),
  attempt(
    'keeps what a provider has certified',
    `POST ${AUTHENTICATION}/${TENANT}/identities`,
    identity(TENANT, { labels }),
  ),
  attempt(
    'asks for a slice',
    `POST ${AUTHENTICATION}/${TENANT}/resourceslices`,
    slice('res-rsv-2', TENANT, labels),
  ),
  attempt(
    'cordons the slice of a peer',
    `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs`,
    { metadata: { annotations: { 'liqo.io/cordon': 'true' } } },
  ),
  attempt(
    'grants the slice of a peer',
    `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs/status`,
    { status: { resources: { cpu: '1' } } },
  ),
  attempt(
    'offloads a namespace',
    `POST ${OFFLOADING}/default/namespaceoffloadings`,
    offloading('default', MANAGED),
  ),
  attempt(
    'gives a provider up for dead',
    'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    { metadata: { annotations: { unreachable: 'true' } } },
  ),
  attempt(
    'forgets a peer that has gone',
    'DELETE /apis/core.liqo.io/v1beta1/foreignclusters/paris',
  ),
  attempt('deletes a pod whose slice is over', `DELETE ${OFFLOADING}/${GUESTS}/shadowpods/web`),
  attempt(
    'makes a gateway',
    `POST /apis/networking.liqo.io/v1beta1/namespaces/${TENANT}/gatewayservers`,
    gateway(TENANT),
  ),
  attempt('cordons a borrowed node', 'PATCH /api/v1/nodes/res-rsv-1', {
    metadata: { annotations: { 'bourse.dev/draining-since': 'now' } },
    spec: { unschedulable: true },
  }),
  attempt('removes a borrowed node', 'DELETE /api/v1/nodes/res-rsv-1'),
  attempt('evicts a pod of an offloaded namespace', `POST ${CORE}/shop/pods/borrowed/eviction`, {
    ...{ apiVersion: 'policy/v1', kind: 'Eviction' },
    metadata: { name: 'borrowed', namespace: 'shop' },
  }),
  attempt('deletes a pod on a borrowed node', `DELETE ${CORE}/shop/pods/borrowed`),
  attempt('makes a placeholder', `POST ${CORE}/default/pods`, placeholder()),
  attempt('nominates an offloaded pod for a node', `PATCH ${CORE}/shop/pods/guest/status`, {
    status: { nominatedNodeName: 'worker-1' },
  }),
  attempt(
    'puts its finalizer on a ResourceRequest',
    'PATCH /apis/liqo.io/v1alpha1/namespaces/shop/resourcerequests/more',
    { metadata: { finalizers: [RESOURCE_REQUEST_FINALIZER] } },
  ),
  attempt(
    'pins a key',
    `POST ${CORE}/default/configmaps`,
    object('v1', 'ConfigMap', { name: 'bourse-peers', namespace: 'default' }),
  ),
  attempt('renews its Lease', `PATCH ${LEASES}/${OWN}/leases/bourse-agent`, {
    spec: { holderIdentity: 'me' },
  }),
  attempt('tells an event', EVENTS, event('bourse.dev/agent')),
]

const broker: readonly Attempt[] = [
  attempt('labels its own pod as the leader', `PATCH ${CORE}/${OWN}/pods/bourse-broker-0`, {
    metadata: { labels: { 'broker.fluidos.eu/role': 'leader' } },
  }),
  attempt('renews its Lease', `PATCH ${LEASES}/${OWN}/leases/bourse-broker`, {
    spec: { holderIdentity: 'me' },
  }),
  attempt('tells an event', EVENTS, event('bourse.dev/broker')),
  attempt(
    'reads its ledger',
    `GET /apis/broker.fluidos.eu/v1alpha1/namespaces/${OWN}/journalslots`,
  ),
  attempt('sees reservations everywhere', 'GET /apis/broker.fluidos.eu/v1alpha1/reservations'),
]

export const needs = { agent, broker, certificates: attemptsOnCertificates }
