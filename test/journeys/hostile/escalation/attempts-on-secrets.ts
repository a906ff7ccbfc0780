import { type Attempt, attempt, CORE } from './caller.ts'
import { BY_HAND, OWN, RELEASE_SECRETS, secret, TENANT } from './scene.ts'

const TOKEN_OF_POWERFUL = {
  type: 'kubernetes.io/service-account-token',
  metadata: { annotations: { 'kubernetes.io/service-account.name': 'powerful' } },
}
const tokenSecret = (namespace: string, name: string) => {
  const { metadata, ...rest } = secret(namespace, name)
  const { type } = TOKEN_OF_POWERFUL
  return { ...rest, type, metadata: { ...metadata, ...TOKEN_OF_POWERFUL.metadata } }
}
export const attemptsOnSecrets: readonly Attempt[] = [
  attempt('reads all Secrets', 'GET /api/v1/secrets'),
  attempt('watches all Secrets', 'GET /api/v1/secrets?watch=1&timeoutSeconds=1'),
  attempt('lists the Secrets of its own namespace', `GET ${CORE}/${OWN}/secrets`),
  attempt('reads a Secret by name', `GET ${CORE}/kube-system/secrets/powerful`),
  attempt(
    'reads another Secret of its own namespace',
    `GET ${CORE}/${OWN}/secrets/bourse-agent-certificates`,
  ),
  attempt(
    'reads the kubeconfig that Liqo has for a provider',
    `GET ${CORE}/${TENANT}/secrets/kubeconfig-controlplane-paris`,
  ),
  ...['liqo-nonce', 'liqo-remote-certificate', 'authentication-keys'].map((name) =>
    attempt(
      `has the token of an administrator written into ${name}`,
      `POST ${CORE}/kube-system/secrets`,
      tokenSecret('kube-system', name),
    ),
  ),
  attempt(
    'has a token written into a Secret of a tenant namespace',
    `POST ${CORE}/${BY_HAND}/secrets`,
    tokenSecret(BY_HAND, 'liqo-nonce'),
  ),
  attempt(
    'has a token written into a Secret whose name the server chooses',
    `POST ${CORE}/${OWN}/secrets`,
    {
      ...tokenSecret(OWN, ''),
      metadata: { ...TOKEN_OF_POWERFUL.metadata, generateName: 'liqo-nonce' },
    },
  ),
  attempt('makes a token for new nodes', `POST ${CORE}/kube-system/secrets`, {
    ...secret('kube-system', 'bootstrap-token-abcdef'),
    ...{ type: 'bootstrap.kubernetes.io/token' },
    stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
  }),
  ...['kube-system', 'shop', OWN].map((namespace) =>
    attempt(
      `makes a Secret of a handshake in ${namespace}`,
      `POST ${CORE}/${namespace}/secrets`,
      secret(namespace, 'liqo-nonce'),
    ),
  ),
  attempt(
    'makes a Secret of another name in a tenant namespace',
    `POST ${CORE}/${TENANT}/secrets`,
    secret(TENANT, 'gw-bourse'),
  ),
  attempt(
    'makes a Secret of another type in a tenant namespace',
    `POST ${CORE}/${BY_HAND}/secrets`,
    secret(BY_HAND, 'liqo-nonce', { type: 'bootstrap.kubernetes.io/token' }),
  ),
  attempt(
    'asks for a token in the annotations of a Secret that it may write',
    `PUT ${CORE}/${TENANT}/secrets/liqo-signed-nonce`,
    {
      ...secret(TENANT, 'liqo-signed-nonce'),
      metadata: { name: 'liqo-signed-nonce', namespace: TENANT, ...TOKEN_OF_POWERFUL.metadata },
    },
  ),
  attempt(
    'writes into a Secret of that name in the namespace of others',
    `PUT ${CORE}/shop/secrets/liqo-signed-nonce`,
    secret('shop', 'liqo-signed-nonce'),
  ),
  attempt('patches a Secret of others', `PATCH ${CORE}/kube-system/secrets/powerful`, {
    stringData: { token: 'mine' },
  }),
  attempt('deletes a Secret of others', `DELETE ${CORE}/kube-system/secrets/powerful`),
  attempt(
    'deletes a Secret that a handshake does not need',
    `DELETE ${CORE}/${TENANT}/secrets/kubeconfig-controlplane-paris`,
  ),
  attempt('deletes all Secrets of a namespace', `DELETE ${CORE}/${TENANT}/secrets`),
]

/** What the account that makes certificates may do, and no other account of ours. */
export const attemptsOnCertificates: readonly Attempt[] = RELEASE_SECRETS.flatMap((name) => [
  attempt(`reads ${name}`, `GET ${CORE}/${OWN}/secrets/${name}`),
  attempt(`writes ${name}`, `PUT ${CORE}/${OWN}/secrets/${name}`, {
    ...secret(OWN, name, { stringData: { 'tls.crt': 'mine' } }),
  }),
])
