import {
  createKubeClient,
  createReflector,
  type Kind,
  type KubeObject,
  loadConnection,
} from '@bourse/kube'
import { quietPorts } from '../processes/quiet-ports.ts'
import { type KeptRunning, keepRunning } from './keep-running.ts'

type Deployment = KubeObject<{ template: { spec: { containers: { args?: string[] }[] } } }>
type Wanted = Readonly<{ name: string; namespace: string; args: readonly string[] }>

export type VirtualKubelets = Readonly<{
  /** The names of their nodes. */
  running(): readonly string[]
  stop(): Promise<void>
  logs(): string
}>

const DEPLOYMENT: Kind = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}
/** What Liqo puts on the Deployment of each virtual node. */
const KUBELETS = 'offloading.liqo.io/component=virtual-kubelet'

type Ports = Readonly<{ binary: string; kubeconfig: string }>

/**
 * Plays kubelet for Liqo's own kubelets: a process for each Deployment, for as long as it is there.
 * One that outlived its Deployment would make its node again.
 */
export async function runVirtualKubelets({ binary, kubeconfig }: Ports): Promise<VirtualKubelets> {
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const running = new Map<string, Readonly<{ node: string; kept: KeptRunning }>>()
  const outputs: (() => string)[] = []

  function start({ name, namespace, args }: Wanted, key: string): void {
    const node = flagOf(args, '--nodename')
    const kept = keepRunning(async () => {
      const [port = 0] = await quietPorts(1)
      return [binary, ...args.map(withAddress), ...flagsOutsidePods(port)]
    }, environmentOf({ kubeconfig, name, namespace, node }))
    running.set(key, { node, kept })
    outputs.push(kept.logs)
  }
  async function end(key: string): Promise<void> {
    const found = running.get(key)
    running.delete(key)
    await found?.kept.stop()
  }
  const reflector = createReflector<Wanted, Deployment>({
    client,
    kind: DEPLOYMENT,
    labelSelector: KUBELETS,
    decode: ({ metadata, spec }) => ({
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      args: spec?.template.spec.containers[0]?.args ?? [],
    }),
    on: { added: start, removed: (_last, key) => end(key) },
  })
  await reflector.synced
  return {
    running: () => [...running.values()].map(({ node }) => node),
    async stop() {
      await reflector.stop()
      await Promise.all([...running.keys()].map(end))
      await client.close()
    },
    logs: () => outputs.map((output) => output()).join('\n'),
  }
}

type Place = Readonly<{ kubeconfig: string; name: string; namespace: string; node: string }>

/** As the Deployment would give it to its pod. */
function environmentOf({ kubeconfig, name, namespace, node }: Place): Record<string, string> {
  return {
    KUBECONFIG: kubeconfig,
    POD_IP: '127.0.0.1',
    POD_NAME: `${name}-0`,
    POD_NAMESPACE: namespace,
    VIRTUALNODE_NAME: node,
  }
}

function flagsOutsidePods(port: number): string[] {
  return ['--node-check-network=false', `--listen-port=${port}`, '--metrics-enabled=false']
}

function withAddress(arg: string): string {
  return arg.replace('$(POD_IP)', '127.0.0.1')
}

function flagOf(args: readonly string[], flag: string): string {
  return args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1) ?? ''
}
