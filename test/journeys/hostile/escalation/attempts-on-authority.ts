import { generateKeyPairSync } from 'node:crypto'
import { certificateRequest } from '../../../../apps/agent/src/peering/native/handshake/certificate-request.ts'
import { type Attempt, attempt, CORE } from './caller.ts'
import { OWN, object, TENANT } from './scene.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const bind = (kind: string, namespace?: string) => ({
  ...object(`rbac.authorization.k8s.io/v1`, kind, {
    name: 'taken',
    ...(namespace !== undefined && { namespace }),
  }),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'bourse-agent', namespace: OWN }],
})
const role = (rules: readonly object[]) => ({
  ...object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: 'taken' }),
  rules,
})
const EVERYTHING = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]

/** With the group of administrators that kubeadm binds. */
const CSR = {
  signerName: 'kubernetes.io/kube-apiserver-client',
  usages: ['client auth'],
  request: Buffer.from(
    certificateRequest(generateKeyPairSync('ed25519').privateKey, {
      commonName: 'kubernetes-admin',
      organization: 'kubeadm:cluster-admins',
    }),
  ).toString('base64'),
}
export const certificateSigningRequest = (name: string) =>
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', { name }, { spec: CSR })

export const attemptsOnAuthority: readonly Attempt[] = [
  attempt('makes a role that may do everything', `POST ${RBAC}/clusterroles`, role(EVERYTHING)),
  attempt('widens its own role', `PATCH ${RBAC}/clusterroles/bourse-agent`, { rules: EVERYTHING }),
  attempt("widens the broker's role", `PATCH ${RBAC}/namespaces/${OWN}/roles/bourse-broker`, {
    rules: EVERYTHING,
  }),
  attempt(
    'makes itself an administrator of the cluster',
    `POST ${RBAC}/clusterrolebindings`,
    bind('ClusterRoleBinding'),
  ),
  ...['kube-system', OWN, TENANT].map((namespace) =>
    attempt(
      `makes itself an administrator of ${namespace}`,
      `POST ${RBAC}/namespaces/${namespace}/rolebindings`,
      bind('RoleBinding', namespace),
    ),
  ),
  {
    tries: 'speaks as an administrator',
    call: 'GET /api/v1/namespaces',
    headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  },
  {
    tries: 'speaks as another service account',
    call: 'GET /api/v1/namespaces',
    headers: { 'impersonate-user': 'system:serviceaccount:kube-system:powerful' },
  },
  attempt(
    'has a token of another service account made',
    `POST ${CORE}/kube-system/serviceaccounts/powerful/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  ),
  attempt(
    'has a longer token of its own made',
    `POST ${CORE}/${OWN}/serviceaccounts/bourse-agent/token`,
    {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
      spec: { expirationSeconds: 31_536_000 },
    },
  ),
  attempt(
    'makes a service account',
    `POST ${CORE}/${OWN}/serviceaccounts`,
    object('v1', 'ServiceAccount', { name: 'mine', namespace: OWN }),
  ),
  attempt('asks for a certificate', `POST ${CSRS}`, certificateSigningRequest('mine')),
  attempt('approves a request for a certificate', `PATCH ${CSRS}/of-another/approval`, {
    status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Mine' }] },
  }),
  attempt('signs a request for a certificate', `PATCH ${CSRS}/of-another/status`, {
    metadata: { labels: { signed: 'yes' } },
  }),
]
