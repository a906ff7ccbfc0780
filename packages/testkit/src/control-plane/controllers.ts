import { fileURLToPath } from 'node:url'
import { createPart, type Part } from '../processes/part.ts'
import { isUp, isUpOverTls } from '../processes/probe.ts'
import type { ClusterAuthority } from './cluster-authority.ts'
import type { Tool } from './kubernetes-tools.ts'

type Options = Readonly<{
  tool: (name: Tool) => string
  port: number
  kubeconfig: string
  authority: ClusterAuthority
}>

/** Garbage collection, namespace deletion, service accounts, deployments, jobs, signing. */
export function createControllerManager(options: Options, more: readonly string[] = []): Part {
  const { caFile, caKeyFile, serviceAccountKeyFile } = options.authority
  return createKubernetesPart('kube-controller-manager', options, [
    `--root-ca-file=${caFile}`,
    `--cluster-signing-cert-file=${caFile}`,
    `--cluster-signing-key-file=${caKeyFile}`,
    `--service-account-private-key-file=${serviceAccountKeyFile}`,
    ...more,
  ])
}

export function createScheduler(options: Options): Part {
  return createKubernetesPart('kube-scheduler', options, [])
}

/** Plays kubelet for every node: nodes become Ready and pods Running without any containers. */
export function createKwok({ tool, port, kubeconfig }: Options): Part {
  const stages = fileURLToPath(new URL('kwok-stages.yaml', import.meta.url))
  const address = `127.0.0.1:${port}`
  return createPart({
    name: 'kwok',
    command: [
      tool('kwok'),
      `--kubeconfig=${kubeconfig}`,
      `--config=${stages}`,
      '--manage-all-nodes=false',
      // Borrowed nodes have a kubelet of their own.
      '--manage-nodes-with-label-selector=liqo.io/type!=virtual-node',
      '--node-ip=127.0.0.1',
      '--node-lease-duration-seconds=40',
      `--server-address=${address}`,
    ],
    isReady: () => isUp(`http://${address}/healthz`),
  })
}

function createKubernetesPart(
  name: 'kube-controller-manager' | 'kube-scheduler',
  { tool, port, kubeconfig, authority }: Options,
  flags: readonly string[],
): Part {
  const { server, certificate } = authority
  return createPart({
    name,
    command: [
      tool(name),
      `--kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${server.certificate}`,
      `--tls-private-key-file=${server.key}`,
      // There is one of each: an election would only delay it.
      '--leader-elect=false',
      ...flags,
    ],
    isReady: () => isUpOverTls({ url: `https://127.0.0.1:${port}/healthz`, ca: certificate }),
  })
}
