import { type Attempt, attempt, CORE, LEASES } from './caller.ts'
import { BY_HAND, event, OWN, object, tenantNamespace } from './scene.ts'

const BROKER = '/apis/broker.fluidos.eu/v1alpha1'

export const attemptsOnOthers: readonly Attempt[] = [
  attempt('has the namespace of others count as one of Liqo', `PATCH ${CORE}/kube-system`, {
    metadata: { labels: { 'liqo.io/tenant-namespace': 'true', 'bourse.dev/peer': 'me' } },
  }),
  ...[
    object('v1', 'Namespace', { name: 'mine' }),
    object('v1', 'Namespace', { name: 'liqo-tenant-mine' }),
    tenantNamespace('kube-mine', 'mine', { 'bourse.dev/peer': 'mine' }),
    tenantNamespace('liqo-tenant-mine', 'other', { 'bourse.dev/peer': 'mine' }),
  ].map((body, nth) =>
    attempt(`makes a namespace that is not of a peer (${nth + 1})`, `POST ${CORE}`, body),
  ),
  attempt('deletes the namespace of others', `DELETE ${CORE}/shop`),
  attempt('deletes a tenant namespace that was made by hand', `DELETE ${CORE}/${BY_HAND}`),
  ...['mine', 'kube-scheduler'].map((name) =>
    attempt(
      `makes a Lease ${name} beside its own`,
      `POST ${LEASES}/${OWN}/leases`,
      object('coordination.k8s.io/v1', 'Lease', { name, namespace: OWN }, { spec: {} }),
    ),
  ),
  attempt('takes the Lease of the scheduler', `PATCH ${LEASES}/kube-system/leases/kube-scheduler`, {
    spec: { holderIdentity: 'me' },
  }),
  attempt(
    'deletes the Lease of the scheduler',
    `DELETE ${LEASES}/kube-system/leases/kube-scheduler`,
  ),
  attempt(
    'answers for a Service (EndpointSlice)',
    'POST /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices',
    {
      ...object('discovery.k8s.io/v1', 'EndpointSlice', {
        ...{ name: 'mine', namespace: 'shop' },
        labels: { 'kubernetes.io/service-name': 'web' },
      }),
      ...{ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.9'] }] },
    },
  ),
  attempt(
    'answers for a Service (Endpoints)',
    `POST ${CORE}/shop/endpoints`,
    object('v1', 'Endpoints', { name: 'web', namespace: 'shop' }),
  ),
  attempt('sends the callers of a Service elsewhere', `PATCH ${CORE}/shop/services/web`, {
    spec: { selector: { app: 'mine' } },
  }),
  attempt('reads a ConfigMap of others', `GET ${CORE}/kube-system/configmaps/settings`),
  attempt(
    'makes a ConfigMap of another name than its own',
    `POST ${CORE}/default/configmaps`,
    object('v1', 'ConfigMap', { name: 'mine', namespace: 'default' }),
  ),
  attempt(
    'tells an event in the name of a kubelet',
    'POST /apis/events.k8s.io/v1/namespaces/default/events',
    event('kubelet'),
  ),
  attempt('deletes the ledger', `DELETE ${BROKER}/namespaces/${OWN}/journalslots`),
  attempt('reads a ledger in another namespace', `GET ${BROKER}/namespaces/default/journalslots`),
]
