import { steppedPatience } from '@bourse/testkit/patience'
import { describe, expect, it } from 'vitest'
import { PEER_LABEL, REMOTE_LABEL } from '../native/liqo-kinds.ts'
import type { ForeignCluster } from '../native/objects/foreign-cluster.ts'
import type { Identity } from '../native/objects/identity.ts'
import type { ResourceSlice } from '../native/objects/resource-slice.ts'
import type { KubeconfigFile } from './kubeconfig-files.ts'
import { createLiqoctlPairing } from './liqoctl-pairing.ts'
import type { LiqoctlReply } from './run-liqoctl.ts'

const LINGER_MS = 60_000
const done: LiqoctlReply = { kind: 'done', output: '', lines: [] }
const FILE: KubeconfigFile = { kind: 'file', path: '/peers/paris.kubeconfig' }
const failed: LiqoctlReply = {
  ...{ kind: 'failed', reason: 'LiqoctlFailed', message: 'liqoctl: no route to host', lines: [] },
}

type Given = Readonly<{
  replies?: LiqoctlReply[]
  file?: KubeconfigFile
  networking?: 'none' | 'wireguard'
  /** What Liqo says of the tunnel. */
  tunnel?: string
}>

/** rome's side: liqoctl makes an Identity, and takes it away. */
function aPairing({ replies = [], file = FILE, networking = 'none', tunnel }: Given = {}) {
  const patience = steppedPatience()
  const commands: string[] = []
  const given: (readonly string[])[] = []
  const slices: ResourceSlice[] = []
  let identities: Identity[] = []
  let atOnce = 0
  let mostAtOnce = 0

  async function run(command: readonly string[]): Promise<LiqoctlReply> {
    const [verb = ''] = command
    commands.push(verb)
    given.push(command)
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await patience.sleep(1_000)
    atOnce--
    const reply = replies.shift() ?? done
    if (reply.kind === 'done') identities = verb === 'peer' ? [anIdentity()] : []
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
      ...{ networking, serviceType: 'LoadBalancer', liqoNamespace: 'liqo' },
      lingerMs: LINGER_MS,
      graceMs: 60_000,
    },
    async sweep() {
      commands.push('sweep')
      return []
    },
    onChange() {},
    log: { warn() {} },
    patience,
  })
  const dying = () => {
    identities = identities.map((one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }))
  }
  return { pairing, patience, commands, given, slices, dying, mostAtOnce: () => mostAtOnce }
}

function aForeignCluster(status: string): ForeignCluster {
  return {
    ...{ apiVersion: 'core.liqo.io/v1beta1', kind: 'ForeignCluster' },
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

describe('peering by liqoctl', () => {
  it('peers once for several reservations, one command at a time', async () => {
    const { pairing, patience, commands, mostAtOnce } = aPairing()

    for (const reservation of ['rsv-1', 'rsv-2', 'rsv-3']) pairing.want('paris', reservation)
    pairing.look('paris')
    await patience.advance(5_000)

    expect(commands).toEqual(['peer'])
    expect(mostAtOnce()).toBe(1)
    expect(pairing.stateOf('paris').ready).toEqual({
      liqoId: 'liqo-paris',
      namespace: 'liqo-tenant-liqo-paris',
    })
  })

  it('says why it failed, and rests before it tries again, whatever changes meanwhile', async () => {
    const { pairing, patience, commands } = aPairing({ replies: [failed] })

    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)
    pairing.look('paris')
    await patience.advance(2_000)

    expect(commands).toEqual(['peer'])
    expect(pairing.stateOf('paris').steps.at(-1)).toMatchObject({
      type: 'TenantReady',
      reason: 'LiqoctlFailed',
      message: 'liqoctl: no route to host',
    })
    await patience.advance(10_000)
    expect(pairing.stateOf('paris').ready).toBeDefined()
  })

  it.each<Given & { name: string; reason: string; message: string }>([
    {
      name: 'a kubeconfig that is missing',
      file: { kind: 'missing', message: 'There is no kubeconfig of paris' },
      ...{ reason: 'KubeconfigMissing', message: 'There is no kubeconfig of paris' },
    },
    {
      name: 'a liqoctl that is missing',
      replies: [{ ...failed, reason: 'LiqoctlMissing', message: 'liqoctl cannot be run' }],
      ...{ reason: 'LiqoctlMissing', message: 'liqoctl cannot be run' },
    },
  ])('asks nobody, and says why: $name', async ({ name: _, reason, message, ...given }) => {
    const { pairing, patience } = aPairing(given)

    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)

    expect(pairing.stateOf('paris').steps).toEqual([
      { type: 'PeeringRequested', status: 'False', reason, message },
    ])
  })

  it('builds a tunnel where one is asked for, and tells when it is down later', async () => {
    const tunnel = { networking: 'wireguard', tunnel: 'Error' } as const
    const { pairing, patience, given } = aPairing(tunnel)

    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)

    expect(given[0]).toContain('--gw-server-service-type=LoadBalancer')
    expect(pairing.stateOf('paris').steps.at(-1)).toMatchObject({
      ...{ type: 'NetworkReady', status: 'False', reason: 'TunnelDown' },
      message: 'The tunnel that liqoctl made is not up: Liqo says Error',
    })
  })

  it('waits for a peering that is being taken away before it makes a new one', async () => {
    const { pairing, patience, commands, dying } = aPairing()
    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)
    dying()

    pairing.want('paris', 'rsv-2')
    await patience.advance(2_000)

    expect(commands).toEqual(['peer'])
    expect(pairing.stateOf('paris').ready).toBeUndefined()
  })

  it('un-peers a while after the last reservation has gone', async () => {
    const { pairing, patience, commands } = aPairing()
    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)

    pairing.wantNoMore('paris', 'rsv-1')
    await patience.advance(LINGER_MS - 1)
    expect(commands).toEqual(['peer'])
    await patience.advance(2_000)

    expect(commands).toEqual(['peer', 'sweep', 'unpeer'])
  })

  it('leaves a peering alone that somebody else has a slice of', async () => {
    const { pairing, patience, commands, slices } = aPairing()
    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)
    slices.push({
      ...{ apiVersion: 'authentication.liqo.io/v1beta1', kind: 'ResourceSlice' },
      metadata: { name: 'by-hand' },
      spec: { class: 'default', providerClusterID: 'liqo-paris' },
    })

    pairing.wantNoMore('paris', 'rsv-1')
    await patience.advance(2 * LINGER_MS)

    expect(commands).toEqual(['peer'])
  })
})
