import { type Attempt, AUTHENTICATION, attempt, OFFLOADING } from './caller.ts'
import {
  BY_HAND,
  GUESTS,
  gateway,
  identity,
  MANAGED,
  OF_PARIS,
  OURS,
  OWNER_GONE,
  object,
  offloading,
  slice,
  TENANT,
  tenant,
} from './scene.ts'

const NETWORKING = '/apis/networking.liqo.io/v1beta1/namespaces'
const REQUESTS = '/apis/liqo.io/v1alpha1/namespaces'
const labels = { ...OURS, ...OF_PARIS }

const tenants: readonly Attempt[] = [
  attempt(
    'has Liqo certify a key without a handshake',
    `POST ${AUTHENTICATION}/${BY_HAND}/tenants`,
    {
      ...tenant('by-hand', BY_HAND, { labels: OURS, spec: { authzPolicy: 'TolerateNoHandshake' } }),
      metadata: { name: 'second', namespace: BY_HAND, labels: OURS },
    },
  ),
  attempt(
    'makes a Tenant outside of a tenant namespace',
    `POST ${AUTHENTICATION}/shop/tenants`,
    tenant('paris', 'shop', { labels }),
  ),
  attempt(
    'makes a Tenant under the name of another cluster',
    `POST ${AUTHENTICATION}/${TENANT}/tenants`,
    tenant('kubernetes-admin', TENANT, { labels }),
  ),
  attempt(
    'makes a Tenant that is not marked as its own',
    `POST ${AUTHENTICATION}/${BY_HAND}/tenants`,
    {
      ...tenant('by-hand', BY_HAND),
      metadata: { name: 'second', namespace: BY_HAND },
    },
  ),
  attempt(
    'changes the key of a Tenant that was made by hand',
    `PATCH ${AUTHENTICATION}/${BY_HAND}/tenants/by-hand`,
    { spec: { publicKey: 'bWluZQ==' } },
  ),
  attempt(
    'deletes a Tenant that was made by hand',
    `DELETE ${AUTHENTICATION}/${BY_HAND}/tenants/by-hand`,
  ),
  attempt(
    'makes an Identity of another type',
    `POST ${AUTHENTICATION}/${TENANT}/identities`,
    identity(TENANT, { labels, spec: { type: 'ResourceSlice' } }),
  ),
  attempt(
    'makes an Identity outside of a tenant namespace',
    `POST ${AUTHENTICATION}/kube-system/identities`,
    identity('kube-system', { labels }),
  ),
  attempt(
    'makes a slice outside of a tenant namespace',
    `POST ${AUTHENTICATION}/shop/resourceslices`,
    slice('res-rsv-2', 'shop', labels),
  ),
  attempt(
    'makes a slice that no reservation is for',
    `POST ${AUTHENTICATION}/${TENANT}/resourceslices`,
    slice('mine', TENANT, labels),
  ),
  attempt(
    'changes what a peer asks for',
    `PATCH ${AUTHENTICATION}/${TENANT}/resourceslices/theirs`,
    { spec: { resources: { cpu: '900' } } },
  ),
]

const borrowed: readonly Attempt[] = [
  ...['kube-system', 'liqo', 'bourse-system', TENANT].map((namespace) =>
    attempt(
      `sends the Secrets of ${namespace} to another cluster`,
      `POST ${OFFLOADING}/${namespace}/namespaceoffloadings`,
      offloading(namespace, MANAGED),
    ),
  ),
  attempt(
    'offloads a namespace without its mark',
    `POST ${OFFLOADING}/default/namespaceoffloadings`,
    offloading('default', {}),
  ),
  attempt(
    'takes over an offloading that was made by hand',
    `PUT ${OFFLOADING}/shop/namespaceoffloadings/offloading`,
    offloading('shop', MANAGED),
  ),
  attempt(
    'ends an offloading that was made by hand',
    `DELETE ${OFFLOADING}/shop/namespaceoffloadings/offloading`,
  ),
  attempt(
    'deletes a virtual node that was made by hand',
    `DELETE ${OFFLOADING}/${TENANT}/virtualnodes/by-hand`,
  ),
  attempt(
    'keeps a foreign cluster from going',
    'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    { metadata: { finalizers: ['example.org/mine'] } },
  ),
  attempt(
    'has a foreign cluster collected as garbage',
    'PATCH /apis/core.liqo.io/v1beta1/foreignclusters/paris',
    OWNER_GONE,
  ),
  attempt(
    'forgets a foreign cluster that was peered with by hand',
    'DELETE /apis/core.liqo.io/v1beta1/foreignclusters/by-hand',
  ),
  attempt(
    'deletes a shadow pod in the namespace of others',
    `DELETE ${OFFLOADING}/shop/shadowpods/web`,
  ),
  attempt(
    'deletes a shadow pod that no slice was for',
    `DELETE ${OFFLOADING}/${GUESTS}/shadowpods/by-hand`,
  ),
  attempt(
    'makes a gateway outside of a tenant namespace',
    `POST ${NETWORKING}/shop/gatewayservers`,
    gateway('shop'),
  ),
  attempt(
    'makes a template for gateways',
    `POST ${NETWORKING}/liqo/wggatewayservertemplates`,
    object('networking.liqo.io/v1beta1', 'WgGatewayServerTemplate', {
      ...{ name: 'mine', namespace: 'liqo' },
    }),
  ),
]

const requests: readonly Attempt[] = [
  attempt(
    'asks for capacity in the name of others',
    `POST ${REQUESTS}/shop/resourcerequests`,
    object(
      'liqo.io/v1alpha1',
      'ResourceRequest',
      { name: 'mine', namespace: 'shop' },
      { spec: { cpu: 1, memory: '1Gi' } },
    ),
  ),
  attempt('changes what others ask for', `PATCH ${REQUESTS}/shop/resourcerequests/more`, {
    spec: { duration: '2h' },
  }),
  attempt('keeps what others ask for from going', `PATCH ${REQUESTS}/shop/resourcerequests/more`, {
    metadata: { finalizers: ['example.org/mine'] },
  }),
  attempt(
    'has what others ask for collected as garbage',
    `PATCH ${REQUESTS}/shop/resourcerequests/more`,
    OWNER_GONE,
  ),
  attempt('deletes what others ask for', `DELETE ${REQUESTS}/shop/resourcerequests/more`),
  attempt(
    'reads instructions in another namespace than its own',
    `GET ${REQUESTS}/shop/providerinstructions`,
  ),
]

export const attemptsOnLiqo: readonly Attempt[] = [...tenants, ...borrowed, ...requests]
