import { generateKeyPairSync } from 'node:crypto'
import { certificateRequest } from '../../../../apps/agent/src/peering/native/handshake/certificate-request.ts'
import type { Attempt } from './caller.ts'
import { OWN, object, TENANT } from './scene.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const CORE = '/api/v1/namespaces'
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
  {
    tries: 'makes a role that may do everything',
    call: `POST ${RBAC}/clusterroles`,
    body: role(EVERYTHING),
  },
  {
    tries: 'widens its own role',
    call: `PATCH ${RBAC}/clusterroles/bourse-agent`,
    body: { rules: EVERYTHING },
  },
  {
    tries: "widens the broker's role",
    call: `PATCH ${RBAC}/namespaces/${OWN}/roles/bourse-broker`,
    body: { rules: EVERYTHING },
  },
  {
    tries: 'makes itself an administrator of the cluster',
    call: `POST ${RBAC}/clusterrolebindings`,
    body: bind('ClusterRoleBinding'),
  },
  ...['kube-system', OWN, TENANT].map((namespace) => ({
    tries: `makes itself an administrator of ${namespace}`,
    call: `POST ${RBAC}/namespaces/${namespace}/rolebindings`,
    body: bind('RoleBinding', namespace),
  })),
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
  {
    tries: 'has a token of another service account made',
    call: `POST ${CORE}/kube-system/serviceaccounts/powerful/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  },
  {
    tries: 'has a longer token of its own made',
    call: `POST ${CORE}/${OWN}/serviceaccounts/bourse-agent/token`,
    body: {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
      spec: { expirationSeconds: 31_536_000 },
    },
  },
  {
    tries: 'makes a service account',
    call: `POST ${CORE}/${OWN}/serviceaccounts`,
    body: object('v1', 'ServiceAccount', { name: 'mine', namespace: OWN }),
  },
  {
    tries: 'asks for a certificate',
    call: `POST ${CSRS}`,
    body: certificateSigningRequest('mine'),
  },
  {
    tries: 'approves a request for a certificate',
    call: `PATCH ${CSRS}/of-another/approval`,
    body: { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Mine' }] } },
  },
  {
    tries: 'signs a request for a certificate',
    call: `PATCH ${CSRS}/of-another/status`,
    body: { metadata: { labels: { signed: 'yes' } } },
  },
]
