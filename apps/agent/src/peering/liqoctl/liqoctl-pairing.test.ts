import { steppedPatience } from '@bourse/testkit/patience'
import { describe, expect, it } from 'vitest'
import { PEER_LABEL, REMOTE_LABEL } from '../native/liqo-kinds.ts'
import type { Identity } from '../native/objects/identity.ts'
import type { ResourceSlice } from '../native/objects/resource-slice.ts'
import { createLiqoctlPairing } from './liqoctl-pairing.ts'
import type { LiqoctlReply } from './run-liqoctl.ts'

const LINGER_MS = 60_000
const done: LiqoctlReply = { kind: 'done', output: '', lines: [] }
const failed: LiqoctlReply = {
  ...{ kind: 'failed', reason: 'LiqoctlFailed', message: 'liqoctl: no route to host', lines: [] },
}

/** rome's side: liqoctl makes an Identity, and takes it away. */
function aPairing(replies: LiqoctlReply[] = []) {
  const patience = steppedPatience()
  const commands: string[] = []
  const slices: ResourceSlice[] = []
  let identities: Identity[] = []
  let atOnce = 0
  let mostAtOnce = 0

  async function run([verb = '']: readonly string[]): Promise<LiqoctlReply> {
    commands.push(verb)
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
    },
    run,
    kubeconfigOf: () => ({ kind: 'file', path: '/peers/paris.kubeconfig' }),
    liqoIdIn: async () => 'liqo-paris',
    settings: {
      ...{ networking: 'none', serviceType: 'LoadBalancer', liqoNamespace: 'liqo' },
      lingerMs: LINGER_MS,
      timeoutMs: 1,
    },
    onChange() {},
    log: { warn() {} },
    patience,
  })
  return { pairing, patience, commands, slices, mostAtOnce: () => mostAtOnce }
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
    const { pairing, patience, commands } = aPairing([failed])

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

  it('un-peers a while after the last reservation has gone', async () => {
    const { pairing, patience, commands } = aPairing()
    pairing.want('paris', 'rsv-1')
    await patience.advance(2_000)

    pairing.wantNoMore('paris', 'rsv-1')
    await patience.advance(LINGER_MS - 1)
    expect(commands).toEqual(['peer'])
    await patience.advance(2_000)

    expect(commands).toEqual(['peer', 'unpeer'])
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
