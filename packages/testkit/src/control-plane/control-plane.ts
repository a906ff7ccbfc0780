import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import type { KeyPairPem } from '@bourse/pki'
import type { Part } from '../processes/part.ts'
import { quietPorts } from '../processes/quiet-ports.ts'
import { createScratchDir } from '../processes/scratch-dir.ts'
import { createApiServer } from './api-server.ts'
import {
  type ClusterAuthority,
  createClusterAuthority,
  type Identity,
} from './cluster-authority.ts'
import { createControllerManager, createKwok, createScheduler } from './controllers.ts'
import { createEtcd } from './etcd.ts'
import { createKubeconfigs } from './kubeconfigs.ts'
import { createKubectl, type Kubectl } from './kubectl.ts'
import { findTools, type Tool } from './kubernetes-tools.ts'
import { copyPreparedData } from './prepared-data.ts'

export type ControlPlaneOptions = Readonly<{
  /** Garbage collection, namespace deletion, service accounts: absent unless asked for. */
  withControllers?: boolean
  withScheduler?: boolean
  /** Fake nodes that become Ready, and pods on them that become Running. */
  withKwok?: boolean
  /** Files of definitions, or directories of them, that are there from the start. */
  kinds?: readonly string[]
  /** Kept at the end, for the next start; certificates and ports are always new. */
  dataDir?: string
  /** Such as --cluster-signing-duration=3m, which makes certificates short-lived. */
  controllerFlags?: readonly string[]
}>

/** A Kubernetes control plane of real processes on loopback. */
export type ControlPlane = {
  url: string
  /** The authority that signed all its certificates, as PEM. */
  caCertificate: string
  dir: string
  adminKubeconfig: string
  /** The path of a kubeconfig with a client certificate; the same identity has one file. */
  kubeconfigFor(identity: Identity): Promise<string>
  /** As the administrator, who may do everything. */
  kubectl: Kubectl
  kubectlAs(identity: Identity): Promise<Kubectl>
  etcd: Part
  apiServer: Part
  /** Those that were asked for. */
  controllers: Part | undefined
  scheduler: Part | undefined
  kwok: Part | undefined
  /** Ends every process and removes the data. */
  stop(): Promise<void>
}

const ADMIN = { user: 'admin', groups: ['system:masters'] }

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const controlPlane = await prepareControlPlane(options)
  const { etcd, apiServer, controllers, scheduler, kwok } = controlPlane
  const late = [controllers, scheduler, kwok].filter((part) => part !== undefined)
  const { kinds = [], dataDir } = options
  try {
    if (dataDir === undefined) await copyPreparedData({ kinds, prepare }, dataDirOf(controlPlane))
    // The API server takes a second to start; etcd is there by then.
    await Promise.all([etcd.start(), apiServer.start()])
    if (dataDir !== undefined) await define(controlPlane, kinds)
    await Promise.all(late.map((part) => part.start()))
  } catch (failure) {
    // The caller does not have it yet, and cannot clean up.
    await controlPlane.stop()
    throw failure
  }
  return controlPlane
}

const dataDirOf = ({ dir }: Pick<ControlPlane, 'dir'>) => join(dir, 'etcd')

/** Stops with SIGTERM, so that all writes reach the disk. */
async function prepare(dataDir: string, kinds: readonly string[]): Promise<void> {
  const controlPlane = await startControlPlane({ dataDir, kinds })
  try {
    await controlPlane.apiServer.kill('SIGTERM')
    await controlPlane.etcd.kill('SIGTERM')
  } finally {
    await controlPlane.stop()
  }
}

async function define({ kubectl }: ControlPlane, kinds: readonly string[]): Promise<void> {
  if (kinds.length === 0) return
  const files = kinds.map((path) => `--filename=${path}`)
  // Its own objects are there already when the data was kept.
  await kubectl(['apply', '--server-side', ...files])
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
}

async function prepareControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const tool = findTools()
  const { dir, remove } = createScratchDir('control-plane')
  const [port = 0, ...ports] = await quietPorts(6)
  const url = `https://127.0.0.1:${port}`
  const authority = await createClusterAuthority(join(dir, 'pki'))
  const kubeconfigFor = createKubeconfigs({ dir, url, authority })
  const adminKubeconfig = await kubeconfigFor(ADMIN)
  const stopping = new AbortController()
  // Each running kubectl adds a listener, and a load has many of them.
  setMaxListeners(0, stopping.signal)
  const callers = { cacheDir: join(dir, 'kubectl-cache'), signal: stopping.signal }
  const kubectlWith = (kubeconfig: string) =>
    createKubectl({ binary: tool('kubectl'), kubeconfig, ...callers })
  const parts = createParts(options, {
    tool,
    ports: [port, ...ports],
    authority,
    admin: await authority.clientOf(ADMIN),
    adminKubeconfig,
    dataDir: options.dataDir ?? dataDirOf({ dir }),
  })

  return {
    url,
    caCertificate: authority.certificate,
    dir,
    adminKubeconfig,
    kubeconfigFor,
    kubectl: kubectlWith(adminKubeconfig),
    kubectlAs: async (identity) => kubectlWith(await kubeconfigFor(identity)),
    ...parts,
    async stop() {
      stopping.abort()
      await Promise.all(Object.values(parts).map((part) => part?.end()))
      remove()
    },
  }
}

type Surroundings = Readonly<{
  tool: (name: Tool) => string
  ports: readonly number[]
  authority: ClusterAuthority
  admin: KeyPairPem
  adminKubeconfig: string
  dataDir: string
}>

function createParts(options: ControlPlaneOptions, around: Surroundings) {
  const { tool, authority, admin, dataDir } = around
  const [port = 0, etcdPort = 0, peerPort = 0, ...others] = around.ports
  const { withControllers = false } = options
  const [controllersPort = 0, schedulerPort = 0, kwokPort = 0] = others
  const late = { tool, authority, kubeconfig: around.adminKubeconfig }
  return {
    etcd: createEtcd({ binary: tool('etcd'), dataDir, port: etcdPort, peerPort, authority }),
    apiServer: createApiServer({
      binary: tool('kube-apiserver'),
      port,
      etcdPort,
      authority,
      admin,
      withControllers,
    }),
    controllers: withControllers
      ? createControllerManager({ ...late, port: controllersPort }, options.controllerFlags)
      : undefined,
    scheduler: options.withScheduler
      ? createScheduler({ ...late, port: schedulerPort })
      : undefined,
    kwok: options.withKwok ? createKwok({ ...late, port: kwokPort }) : undefined,
  }
}
