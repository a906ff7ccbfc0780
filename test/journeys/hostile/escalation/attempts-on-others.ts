import type { Attempt } from './caller.ts'
import { BY_HAND, event, OWN, object, tenantNamespace } from './scene.ts'

const CORE = '/api/v1/namespaces'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces'
const BROKER = '/apis/broker.fluidos.eu/v1alpha1'

export const attemptsOnOthers: readonly Attempt[] = [
  {
    tries: 'has the namespace of others count as one of Liqo',
    call: `PATCH ${CORE}/kube-system`,
    body: { metadata: { labels: { 'liqo.io/tenant-namespace': 'true', 'bourse.dev/peer': 'me' } } },
  },
  ...[
    object('v1', 'Namespace', { name: 'mine' }),
    object('v1', 'Namespace', { name: 'liqo-tenant-mine' }),
    tenantNamespace('kube-mine', 'mine', { 'bourse.dev/peer': 'mine' }),
    tenantNamespace('liqo-tenant-mine', 'other', { 'bourse.dev/peer': 'mine' }),
  ].map((body, nth) => ({
    tries: `makes a namespace that is not of a peer (${nth + 1})`,
    call: `POST ${CORE}`,
    body,
  })),
  { tries: 'deletes the namespace of others', call: `DELETE ${CORE}/shop` },
  { tries: 'deletes a tenant namespace that was made by hand', call: `DELETE ${CORE}/${BY_HAND}` },
  ...['mine', 'kube-scheduler'].map((name) => ({
    tries: `makes a Lease ${name} beside its own`,
    call: `POST ${LEASES}/${OWN}/leases`,
    body: object('coordination.k8s.io/v1', 'Lease', { name, namespace: OWN }, { spec: {} }),
  })),
  {
    tries: 'takes the Lease of the scheduler',
    call: `PATCH ${LEASES}/kube-system/leases/kube-scheduler`,
    body: { spec: { holderIdentity: 'me' } },
  },
  {
    tries: 'deletes the Lease of the scheduler',
    call: `DELETE ${LEASES}/kube-system/leases/kube-scheduler`,
  },
  {
    tries: 'answers for a Service (EndpointSlice)',
    call: 'POST /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices',
    body: {
      ...object('discovery.k8s.io/v1', 'EndpointSlice', {
        ...{ name: 'mine', namespace: 'shop' },
        labels: { 'kubernetes.io/service-name': 'web' },
      }),
      ...{ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.9'] }] },
    },
  },
  {
    tries: 'answers for a Service (Endpoints)',
    call: `POST ${CORE}/shop/endpoints`,
    body: object('v1', 'Endpoints', { name: 'web', namespace: 'shop' }),
  },
  {
    tries: 'sends the callers of a Service elsewhere',
    call: `PATCH ${CORE}/shop/services/web`,
    body: { spec: { selector: { app: 'mine' } } },
  },
  { tries: 'reads a ConfigMap of others', call: `GET ${CORE}/kube-system/configmaps/settings` },
  {
    tries: 'makes a ConfigMap of another name than its own',
    call: `POST ${CORE}/default/configmaps`,
    body: object('v1', 'ConfigMap', { name: 'mine', namespace: 'default' }),
  },
  {
    tries: 'tells an event in the name of a kubelet',
    call: 'POST /apis/events.k8s.io/v1/namespaces/default/events',
    body: event('kubelet'),
  },
  {
    tries: 'deletes the ledger',
    call: `DELETE ${BROKER}/namespaces/${OWN}/journalslots`,
  },
  {
    tries: 'reads a ledger in another namespace',
    call: `GET ${BROKER}/namespaces/default/journalslots`,
  },
]
