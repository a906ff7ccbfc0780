import type { Attempt } from './caller.ts'
import { BY_HAND, OWN, secret, TENANT } from './scene.ts'

const CORE = '/api/v1/namespaces'
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
  { tries: 'reads all Secrets', call: 'GET /api/v1/secrets' },
  { tries: 'watches all Secrets', call: 'GET /api/v1/secrets?watch=1&timeoutSeconds=1' },
  { tries: 'lists the Secrets of its own namespace', call: `GET ${CORE}/${OWN}/secrets` },
  { tries: 'reads a Secret by name', call: `GET ${CORE}/kube-system/secrets/powerful` },
  {
    tries: 'reads the kubeconfig that Liqo has for a provider',
    call: `GET ${CORE}/${TENANT}/secrets/kubeconfig-controlplane-paris`,
  },
  ...['liqo-nonce', 'liqo-remote-certificate', 'authentication-keys'].map((name) => ({
    tries: `has the token of an administrator written into ${name}`,
    call: `POST ${CORE}/kube-system/secrets`,
    body: tokenSecret('kube-system', name),
  })),
  {
    tries: 'has a token written into a Secret of a tenant namespace',
    call: `POST ${CORE}/${BY_HAND}/secrets`,
    body: tokenSecret(BY_HAND, 'liqo-nonce'),
  },
  {
    tries: 'has a token written into a Secret whose name the server chooses',
    call: `POST ${CORE}/${OWN}/secrets`,
    body: {
      ...tokenSecret(OWN, ''),
      metadata: { ...TOKEN_OF_POWERFUL.metadata, generateName: 'liqo-nonce' },
    },
  },
  {
    tries: 'makes a token for new nodes',
    call: `POST ${CORE}/kube-system/secrets`,
    body: {
      ...secret('kube-system', 'bootstrap-token-abcdef'),
      ...{ type: 'bootstrap.kubernetes.io/token' },
      stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
    },
  },
  ...['kube-system', 'shop', OWN].map((namespace) => ({
    tries: `makes a Secret of a handshake in ${namespace}`,
    call: `POST ${CORE}/${namespace}/secrets`,
    body: secret(namespace, 'liqo-nonce'),
  })),
  {
    tries: 'makes a Secret of another name in a tenant namespace',
    call: `POST ${CORE}/${TENANT}/secrets`,
    body: secret(TENANT, 'gw-bourse'),
  },
  {
    tries: 'makes a Secret of another type in a tenant namespace',
    call: `POST ${CORE}/${BY_HAND}/secrets`,
    body: secret(BY_HAND, 'liqo-nonce', { type: 'bootstrap.kubernetes.io/token' }),
  },
  {
    tries: 'asks for a token in the annotations of a Secret that it may write',
    call: `PUT ${CORE}/${TENANT}/secrets/liqo-signed-nonce`,
    body: {
      ...secret(TENANT, 'liqo-signed-nonce'),
      metadata: { name: 'liqo-signed-nonce', namespace: TENANT, ...TOKEN_OF_POWERFUL.metadata },
    },
  },
  {
    tries: 'writes into a Secret of that name in the namespace of others',
    call: `PUT ${CORE}/shop/secrets/liqo-signed-nonce`,
    body: secret('shop', 'liqo-signed-nonce'),
  },
  {
    tries: 'patches a Secret of others',
    call: `PATCH ${CORE}/kube-system/secrets/powerful`,
    body: { stringData: { token: 'mine' } },
  },
  { tries: 'deletes a Secret of others', call: `DELETE ${CORE}/kube-system/secrets/powerful` },
  {
    tries: 'deletes a Secret that a handshake does not need',
    call: `DELETE ${CORE}/${TENANT}/secrets/kubeconfig-controlplane-paris`,
  },
  { tries: 'deletes all Secrets of a namespace', call: `DELETE ${CORE}/${TENANT}/secrets` },
]
