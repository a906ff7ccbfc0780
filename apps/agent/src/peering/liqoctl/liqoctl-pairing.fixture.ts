import type { Clock } from '@bourse/kube'
import type { ForeignCluster } from '../native/liqo/foreign-cluster.ts'
import type { Identity } from '../native/liqo/identity.ts'
import { PEER_LABEL, REMOTE_LABEL } from '../native/liqo/liqo-kinds.ts'
import type { ResourceSlice } from '../native/liqo/resource-slice.ts'
import type { KubeconfigFile } from './liqoctl-commands.ts'
import { createLiqoctlPairing } from './liqoctl-pairing.ts'
import type { LiqoctlReply } from './run-liqoctl.ts'

export const LINGER_MS = 60_000
export const GRACE_MS = 60_000
const done: LiqoctlReply = { kind: 'done', output: '', lines: [] }
const FILE: KubeconfigFile = { kind: 'file', path: '/peers/paris.kubeconfig' }
export const failed = {
  kind: 'failed',
  reason: 'LiqoctlFailed',
  message: 'liqoctl: no route to host',
  lines: [],
} as const satisfies LiqoctlReply

export type Given = Readonly<{
  replies?: LiqoctlReply[]
  file?: KubeconfigFile
  networking?: 'none' | 'wireguard'
  /** What Liqo says of the tunnel. */
  tunnel?: string
  /** Whether a command that fails has made an Identity by then. */
  isHalfMade?: boolean
  lingerMs?: number
}>

/** rome's side: liqoctl makes an Identity, and takes it away. */
export function aPairing<P extends Clock>(clock: P, given: Given = {}) {
  const { replies = [], file = FILE, networking = 'none', tunnel, isHalfMade = false } = given
  const { lingerMs = LINGER_MS } = given
  const commands: string[] = []
  const runs: (readonly string[])[] = []
  const slices: ResourceSlice[] = []
  let identities: Identity[] = []
  let atOnce = 0
  let mostAtOnce = 0

  async function run(command: readonly string[]): Promise<LiqoctlReply> {
    const [verb = ''] = command
    commands.push(verb)
    runs.push(command)
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await clock.sleep(1_000)
    atOnce--
    const reply = replies.shift() ?? done
    if (reply.kind === 'done') identities = verb === 'peer' ? [anIdentity()] : []
    else if (isHalfMade) identities = [anIdentity()]
    return reply
  }
  const pairing = createLiqoctlPairing({
    client: {
      list: async () => ({ items: identities as never, resourceVersion: '1' }),
      mergePatch: async () => {
        identities = [anIdentity({ [PEER_LABEL]: 'paris' })]
        return identities[0] as never
      },
    },
    objects: {
      missing: () => undefined,
      identities: () => identities,
      slices: () => slices,
      foreignCluster: () => (tunnel === undefined ? undefined : aForeignCluster(tunnel)),
    },
    run,
    kubeconfigOf: () => file,
    liqoIdIn: async () => 'liqo-paris',
    settings: {
      networking,
      serviceType: 'LoadBalancer',
      liqoNamespace: 'liqo',
      lingerMs,
      graceMs: GRACE_MS,
    },
    async sweep() {
      commands.push('sweep')
      await clock.sleep(1_000)
      return false
    },
    onChange() {},
    log: { warn() {} },
    clock,
  })
  const dying = () => {
    identities = identities.map((one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }))
  }
  const isPeered = () => identities.length > 0
  const seen = { isPeered, mostAtOnce: () => mostAtOnce }
  return { pairing, clock, commands, runs, slices, dying, ...seen }
}

function aForeignCluster(status: string): ForeignCluster {
  return {
    apiVersion: 'core.liqo.io/v1beta1',
    kind: 'ForeignCluster',
    metadata: { name: 'liqo-paris' },
    status: {
      modules: { networking: { conditions: [{ type: 'NetworkConnectionStatus', status }] } },
    },
  }
}

function anIdentity(labels: Readonly<Record<string, string>> = {}): Identity {
  return {
    apiVersion: 'authentication.liqo.io/v1beta1',
    kind: 'Identity',
    metadata: {
      name: 'controlplane-liqo-paris',
      namespace: 'liqo-tenant-liqo-paris',
      labels: { [REMOTE_LABEL]: 'liqo-paris', ...labels },
    },
    spec: { clusterID: 'liqo-paris', type: 'ControlPlane', authParams: {} },
    status: { kubeconfigSecretRef: { name: 'kubeconfig-controlplane-liqo-paris' } },
  }
}
