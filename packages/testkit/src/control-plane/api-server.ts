import type { KeyPairPem } from '@bourse/pki'
import { createPart, type Part } from '../processes/part.ts'
import { isUpOverTls } from '../processes/probe.ts'
import type { ClusterAuthority } from './cluster-authority.ts'
import { SELDOM_COLLECTED } from './etcd.ts'

type Options = Readonly<{
  binary: string
  port: number
  etcdPort: number
  authority: ClusterAuthority
  admin: KeyPairPem
  withControllers: boolean
}>

/** A real API server: TLS, client certificates, service-account tokens and RBAC. */
export function createApiServer(options: Options): Part {
  const { binary, port, authority, admin, withControllers } = options
  const url = `https://127.0.0.1:${port}`
  const answers = (path: string) =>
    isUpOverTls({ url: `${url}${path}`, ca: authority.certificate, client: admin })
  return createPart({
    name: 'kube-apiserver',
    command: [
      binary,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      // It would publish its own address for pods, and may not publish a loopback one.
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--authorization-mode=RBAC',
      '--allow-privileged',
      // Without controllers there is no service account, which each pod would need.
      ...(withControllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
      ...certificateFlags(authority, options.etcdPort),
    ],
    env: SELDOM_COLLECTED,
    // It says ready a moment before it has made the default namespace.
    isReady: async () => (await answers('/readyz')) && answers('/api/v1/namespaces/default'),
  })
}

function certificateFlags(authority: ClusterAuthority, etcdPort: number): string[] {
  const { caFile, server, etcdClient, serviceAccountKeyFile } = authority
  return [
    `--client-ca-file=${caFile}`,
    `--tls-cert-file=${server.certificate}`,
    `--tls-private-key-file=${server.key}`,
    `--etcd-servers=https://127.0.0.1:${etcdPort}`,
    `--etcd-cafile=${caFile}`,
    `--etcd-certfile=${etcdClient.certificate}`,
    `--etcd-keyfile=${etcdClient.key}`,
    `--service-account-key-file=${serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${serviceAccountKeyFile}`,
    '--service-account-issuer=https://kubernetes.default.svc',
  ]
}
