import type { Attempt } from './caller.ts'
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

const CORE = '/api/v1/namespaces'
const AUTHENTICATION = '/apis/authentication.liqo.io/v1beta1/namespaces'
const OFFLOADING = '/apis/offloading.liqo.io/v1beta1/namespaces'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces'
const EVENTS = 'POST /apis/events.k8s.io/v1/namespaces/default/events'
const labels = { ...OURS, ...OF_PARIS }

const agent: readonly Attempt[] = [
  { tries: 'sees nodes', call: 'GET /api/v1/nodes' },
  { tries: 'sees pods', call: 'GET /api/v1/pods' },
  {
    tries: 'makes a tenant namespace',
    call: `POST ${CORE}`,
    body: tenantNamespace('liqo-tenant-oslo', 'oslo', { 'bourse.dev/peer': 'oslo' }),
  },
  { tries: 'removes a tenant namespace of its own', call: `DELETE ${CORE}/${TENANT}` },
  {
    tries: 'makes the Secret of a handshake',
    call: `POST ${CORE}/liqo-tenant-by-hand/secrets`,
    body: secret('liqo-tenant-by-hand', 'liqo-nonce'),
  },
  {
    tries: 'writes another nonce to be signed',
    call: `PUT ${CORE}/${TENANT}/secrets/liqo-signed-nonce`,
    body: secret(TENANT, 'liqo-signed-nonce', { stringData: { nonce: 'another' } }),
  },
  {
    tries: 'watches nonces of all tenant namespaces',
    call: 'GET /api/v1/secrets?fieldSelector=metadata.name%3Dliqo-nonce',
  },
  {
    tries: 'removes the certificate of a slice',
    call: `DELETE ${CORE}/${TENANT}/secrets/liqo-remote-certificate-res-rsv-1`,
  },
  {
    tries: 'reads the key that Liqo signs with',
    call: `GET ${CORE}/liqo/secrets/authentication-keys`,
  },
  {
    tries: 'certifies a peer',
    call: `PATCH ${AUTHENTICATION}/${TENANT}/tenants/paris`,
    body: tenant('paris', TENANT, { labels }),
  },
  {
    tries: 'keeps what a provider has certified',
    call: `POST ${AUTHENTICATION}/${TENANT}/identities`,
    body: identity(TENANT, { labels }),
  },
  {
    tries: 'asks for a slice',
    call: `POST ${AUTHENTICATION}/${TENANT}/resourceslices`,
    body: slice('res-rsv-2', TENANT, labels),
  },
  {
    tries: 'cordons the slice of a peer',
    call: `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs`,
    body: { metadata: { annotations: { 'liqo.io/cordon': 'true' } } },
  },
  {
    tries: 'grants the slice of a peer',
    call: `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs/status`,
    body: { status: { resources: { cpu: '1' } } },
  },
  {
    tries: 'offloads a namespace',
    call: `POST ${OFFLOADING}/default/namespaceoffloadings`,
    body: offloading('default', MANAGED),
  },
  {
    tries: 'gives a provider up for dead',
    call: 'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    body: { metadata: { annotations: { unreachable: 'true' } } },
  },
  {
    tries: 'forgets a peer that has gone',
    call: 'DELETE /apis/core.liqo.io/v1beta1/foreignclusters/paris',
  },
  {
    tries: 'deletes a pod whose slice is over',
    call: `DELETE ${OFFLOADING}/${GUESTS}/shadowpods/web`,
  },
  {
    tries: 'makes a gateway',
    call: `POST /apis/networking.liqo.io/v1beta1/namespaces/${TENANT}/gatewayservers`,
    body: gateway(TENANT),
  },
  {
    tries: 'cordons a borrowed node',
    call: 'PATCH /api/v1/nodes/res-rsv-1',
    body: {
      metadata: { annotations: { 'bourse.dev/draining-since': 'now' } },
      spec: { unschedulable: true },
    },
  },
  { tries: 'removes a borrowed node', call: 'DELETE /api/v1/nodes/res-rsv-1' },
  {
    tries: 'evicts a pod of an offloaded namespace',
    call: `POST ${CORE}/shop/pods/borrowed/eviction`,
    body: {
      ...{ apiVersion: 'policy/v1', kind: 'Eviction' },
      metadata: { name: 'borrowed', namespace: 'shop' },
    },
  },
  { tries: 'deletes a pod on a borrowed node', call: `DELETE ${CORE}/shop/pods/borrowed` },
  { tries: 'makes a placeholder', call: `POST ${CORE}/default/pods`, body: placeholder() },
  {
    tries: 'nominates an offloaded pod for a node',
    call: `PATCH ${CORE}/shop/pods/guest/status`,
    body: { status: { nominatedNodeName: 'worker-1' } },
  },
  {
    tries: 'puts its finalizer on a ResourceRequest',
    call: 'PATCH /apis/liqo.io/v1alpha1/namespaces/shop/resourcerequests/more',
    body: { metadata: { finalizers: [RESOURCE_REQUEST_FINALIZER] } },
  },
  {
    tries: 'pins a key',
    call: `POST ${CORE}/default/configmaps`,
    body: object('v1', 'ConfigMap', { name: 'bourse-peers', namespace: 'default' }),
  },
  {
    tries: 'renews its Lease',
    call: `PATCH ${LEASES}/${OWN}/leases/bourse-agent`,
    body: { spec: { holderIdentity: 'me' } },
  },
  { tries: 'tells an event', call: EVENTS, body: event('bourse.dev/agent') },
]

const broker: readonly Attempt[] = [
  {
    tries: 'labels its own pod as the leader',
    call: `PATCH ${CORE}/${OWN}/pods/bourse-broker-0`,
    body: { metadata: { labels: { 'broker.fluidos.eu/role': 'leader' } } },
  },
  {
    tries: 'renews its Lease',
    call: `PATCH ${LEASES}/${OWN}/leases/bourse-broker`,
    body: { spec: { holderIdentity: 'me' } },
  },
  { tries: 'tells an event', call: EVENTS, body: event('bourse.dev/broker') },
  {
    tries: 'reads its ledger',
    call: `GET /apis/broker.fluidos.eu/v1alpha1/namespaces/${OWN}/journalslots`,
  },
  {
    tries: 'sees reservations everywhere',
    call: 'GET /apis/broker.fluidos.eu/v1alpha1/reservations',
  },
]

export const needs = { agent, broker }
