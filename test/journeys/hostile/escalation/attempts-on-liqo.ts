import type { Attempt } from './caller.ts'
import {
  BY_HAND,
  GUESTS,
  gateway,
  identity,
  MANAGED,
  OF_PARIS,
  OURS,
  object,
  offloading,
  slice,
  TENANT,
  tenant,
} from './scene.ts'

const AUTHENTICATION = '/apis/authentication.liqo.io/v1beta1/namespaces'
const OFFLOADING = '/apis/offloading.liqo.io/v1beta1/namespaces'
const NETWORKING = '/apis/networking.liqo.io/v1beta1/namespaces'
const REQUESTS = '/apis/liqo.io/v1alpha1/namespaces'
const labels = { ...OURS, ...OF_PARIS }

const tenants: readonly Attempt[] = [
  {
    tries: 'has Liqo certify a key without a handshake',
    call: `POST ${AUTHENTICATION}/${BY_HAND}/tenants`,
    body: {
      ...tenant('by-hand', BY_HAND, { labels: OURS, spec: { authzPolicy: 'TolerateNoHandshake' } }),
      metadata: { name: 'second', namespace: BY_HAND, labels: OURS },
    },
  },
  {
    tries: 'makes a Tenant outside of a tenant namespace',
    call: `POST ${AUTHENTICATION}/shop/tenants`,
    body: tenant('paris', 'shop', { labels }),
  },
  {
    tries: 'makes a Tenant under the name of another cluster',
    call: `POST ${AUTHENTICATION}/${TENANT}/tenants`,
    body: tenant('kubernetes-admin', TENANT, { labels }),
  },
  {
    tries: 'makes a Tenant that is not marked as its own',
    call: `POST ${AUTHENTICATION}/${BY_HAND}/tenants`,
    body: {
      ...tenant('by-hand', BY_HAND),
      metadata: { name: 'second', namespace: BY_HAND },
    },
  },
  {
    tries: 'changes the key of a Tenant that was made by hand',
    call: `PATCH ${AUTHENTICATION}/${BY_HAND}/tenants/by-hand`,
    body: { spec: { publicKey: 'bWluZQ==' } },
  },
  {
    tries: 'deletes a Tenant that was made by hand',
    call: `DELETE ${AUTHENTICATION}/${BY_HAND}/tenants/by-hand`,
  },
  {
    tries: 'makes an Identity of another type',
    call: `POST ${AUTHENTICATION}/${TENANT}/identities`,
    body: identity(TENANT, { labels, spec: { type: 'ResourceSlice' } }),
  },
  {
    tries: 'makes an Identity outside of a tenant namespace',
    call: `POST ${AUTHENTICATION}/kube-system/identities`,
    body: identity('kube-system', { labels }),
  },
  {
    tries: 'makes a slice outside of a tenant namespace',
    call: `POST ${AUTHENTICATION}/shop/resourceslices`,
    body: slice('res-rsv-2', 'shop', labels),
  },
  {
    tries: 'makes a slice that no reservation is for',
    call: `POST ${AUTHENTICATION}/${TENANT}/resourceslices`,
    body: slice('mine', TENANT, labels),
  },
  {
    tries: 'changes what a peer asks for',
    call: `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs`,
    body: { spec: { resources: { cpu: '900' } } },
  },
]

const borrowed: readonly Attempt[] = [
  ...['kube-system', 'liqo', 'bourse-system', TENANT].map((namespace) => ({
    tries: `sends the Secrets of ${namespace} to another cluster`,
    call: `POST ${OFFLOADING}/${namespace}/namespaceoffloadings`,
    body: offloading(namespace, MANAGED),
  })),
  {
    tries: 'offloads a namespace without its mark',
    call: `POST ${OFFLOADING}/default/namespaceoffloadings`,
    body: offloading('default', {}),
  },
  {
    tries: 'takes over an offloading that was made by hand',
    call: `PUT ${OFFLOADING}/shop/namespaceoffloadings/offloading`,
    body: offloading('shop', MANAGED),
  },
  {
    tries: 'ends an offloading that was made by hand',
    call: `DELETE ${OFFLOADING}/shop/namespaceoffloadings/offloading`,
  },
  {
    tries: 'deletes a virtual node that was made by hand',
    call: `DELETE ${OFFLOADING}/${TENANT}/virtualnodes/by-hand`,
  },
  {
    tries: 'keeps a foreign cluster from going',
    call: 'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    body: { metadata: { finalizers: ['example.org/mine'] } },
  },
  {
    tries: 'has a foreign cluster collected as garbage',
    call: 'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    body: {
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'gone' }],
      },
    },
  },
  {
    tries: 'forgets a foreign cluster that was peered with by hand',
    call: 'DELETE /apis/core.liqo.io/v1beta1/foreignclusters/by-hand',
  },
  {
    tries: 'deletes a shadow pod in the namespace of others',
    call: `DELETE ${OFFLOADING}/shop/shadowpods/web`,
  },
  {
    tries: 'deletes a shadow pod that no slice was for',
    call: `DELETE ${OFFLOADING}/${GUESTS}/shadowpods/by-hand`,
  },
  {
    tries: 'makes a gateway outside of a tenant namespace',
    call: `POST ${NETWORKING}/shop/gatewayservers`,
    body: gateway('shop'),
  },
  {
    tries: 'makes a template for gateways',
    call: `POST ${NETWORKING}/liqo/wggatewayservertemplates`,
    body: object('networking.liqo.io/v1beta1', 'WgGatewayServerTemplate', {
      ...{ name: 'mine', namespace: 'liqo' },
    }),
  },
]

const requests: readonly Attempt[] = [
  {
    tries: 'asks for capacity in the name of others',
    call: `POST ${REQUESTS}/shop/resourcerequests`,
    body: object(
      'liqo.io/v1alpha1',
      'ResourceRequest',
      { name: 'mine', namespace: 'shop' },
      { spec: { cpu: 1, memory: '1Gi' } },
    ),
  },
  {
    tries: 'changes what others ask for',
    call: `PATCH ${REQUESTS}/shop/resourcerequests/more`,
    body: { spec: { duration: '2h' } },
  },
  {
    tries: 'keeps what others ask for from going',
    call: `PATCH ${REQUESTS}/shop/resourcerequests/more`,
    body: { metadata: { finalizers: ['example.org/mine'] } },
  },
  {
    tries: 'has what others ask for collected as garbage',
    call: `PATCH ${REQUESTS}/shop/resourcerequests/more`,
    body: {
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'gone' }],
      },
    },
  },
  {
    tries: 'deletes what others ask for',
    call: `DELETE ${REQUESTS}/shop/resourcerequests/more`,
  },
  {
    tries: 'reads instructions in another namespace than its own',
    call: `GET ${REQUESTS}/shop/providerinstructions`,
  },
]

export const attemptsOnLiqo: readonly Attempt[] = [...tenants, ...borrowed, ...requests]
