// Budget: 60 seconds.

import { eventually } from '@bourse/testkit'
import { connectAgent } from '@bourse/testkit/control-plane'
import { useLiqoClusters } from '@bourse/testkit/use-liqo-clusters'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTwoEnds } from '../../../../fixtures/peering/native/tunnel/two-ends.ts'
import { POD, SECRET } from '../../../kubernetes/kinds.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { Configuration } from '../liqo/tunnel-objects.ts'

const networking = { podCIDR: '10.1.0.0/16', externalCIDR: '10.71.0.0/16' }
const cluster = useLiqoClusters([{ clusterId: 'both', networking }])
let clients: Awaited<ReturnType<typeof connectAgent>>

beforeAll(async () => {
  clients = await connectAgent(cluster('both').controlPlane, 'agent-networking')
})
afterAll(() => clients?.close())

/** A gateway without one is none to Liqo; the kubelet's part is played by what has no network. */
async function givePodAddress(namespace: string): Promise<void> {
  const [pod] = await eventually('the gateway has a pod', async () => {
    const { items } = await clients.admin.list(POD, { namespace })
    return items.length > 0 ? items : undefined
  })
  if (!pod) throw new Error('no pod')
  const status = { podIP: '10.1.0.9', podIPs: [{ ip: '10.1.0.9' }] }
  await clients.admin.mergePatch(POD, pod.metadata, { status }, { subresource: 'status' })
}

describe("with Liqo's own networking controllers", () => {
  it('both ends get gateways, keys and an address, and leave nothing behind', async () => {
    const both = await createTwoEnds({ agent: clients.agent, liqo: clients.admin }, 'real', {
      serviceType: 'NodePort',
      liqoNamespace: 'liqo',
    })
    onTestFinished(both.stop)
    const [rome, paris] = [await both.live('rome'), await both.live('paris')]
    const [inRome, inParis] = [both.namespaceOf('rome'), both.namespaceOf('paris')]

    await both.until('paris', paris, 'WaitingForLiqo')
    await givePodAddress(inParis)
    await both.until('paris', paris, 'WaitingForPeer')
    await both.until('rome', rome, 'WaitingForLiqo')
    await givePodAddress(inRome)
    await eventually(
      'rome has called',
      async () => {
        await both.turn('rome', rome)
        return both.said.has('tunnel')
      },
      60_000,
    )
    await both.turn('paris', paris)

    expect(both.said.get('gateway')).toMatchObject({
      podCIDRs: ['10.1.0.0/16'],
      externalCIDRs: ['10.71.0.0/16'],
      endpoint: { addresses: ['127.0.0.1'], protocol: 'UDP' },
    })
    const mapped = () => clients.admin.get<Configuration>(LIQO.configuration, 'real-rome', inParis)
    await expect
      .poll(async () => (await mapped()).status?.remote?.cidr?.pod)
      .toEqual(['10.1.0.0/16'])
    // What the gateways' pods would say, if they were more than their names.
    await both.connects('rome')
    await both.connects('paris')
    await both.until('rome', rome, undefined)
    await both.until('paris', paris, undefined)
    for (const [network, namespace] of [[rome, inRome] as const, [paris, inParis] as const])
      await eventually('nothing is left', () => network.leave(namespace), 60_000)
    const kinds = [LIQO.gatewayClient, LIQO.gatewayServer, LIQO.configuration, SECRET]
    for (const namespace of [inRome, inParis])
      await eventually(
        'Liqo has tidied up',
        async () => {
          const lists = await Promise.all(
            kinds.map((kind) => clients.admin.list(kind, { namespace })),
          )
          return lists.every(({ items }) => items.length === 0)
        },
        60_000,
      )
  })

  it('a gateway whose LoadBalancer gets no address is told as one', async () => {
    const both = await createTwoEnds({ agent: clients.agent, liqo: clients.admin }, 'bare', {
      liqoNamespace: 'liqo',
    })
    onTestFinished(both.stop)
    const paris = await both.live('paris')
    await both.until('paris', paris, 'WaitingForLiqo')
    await givePodAddress(both.namespaceOf('paris'))

    both.passMs(60_000)
    await both.until('paris', paris, 'NoGatewayAddress')

    expect(both.said.size).toBe(0)
  })
})
