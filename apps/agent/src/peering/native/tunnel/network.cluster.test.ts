import { eventually } from '@bourse/testkit'
import { connectAgent } from '@bourse/testkit/control-plane'
import { liqoDefinitions } from '@bourse/testkit/liqo'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTwoEnds } from '../../../../fixtures/peering/native/tunnel/two-ends.ts'
import { SECRET } from '../../../kubernetes/kinds.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type {
  Configuration,
  GatewayClient,
  GatewayServer,
  PublicKey,
} from '../liqo/tunnel-objects.ts'

const controlPlane = useControlPlane({ kinds: [liqoDefinitions()] })
let clients: Awaited<ReturnType<typeof connectAgent>>

/** Liqo's own kinds, and the agent with the rights of the chart and no others. */
beforeAll(async () => {
  clients = await connectAgent(controlPlane(), 'agent-networking')
})
afterAll(() => clients?.close())

async function twoEnds(test: string) {
  const both = await createTwoEnds({ agent: clients.agent, liqo: clients.admin }, test)
  onTestFinished(both.stop)
  return both
}
type Ends = Awaited<ReturnType<typeof twoEnds>>

/** The whole exchange. `rome` and `paris` are asked for a life before each part of it. */
async function connectEnds(both: Ends, rome: () => ReturnType<Ends['live']>, paris = rome) {
  await both.until('paris', await paris(), 'WaitingForLiqo')
  await both.starts('paris')
  await both.until('paris', await paris(), 'WaitingForPeer')
  await both.until('rome', await rome(), 'WaitingForLiqo')
  await both.starts('rome')
  const calling = await rome()
  await eventually(
    'rome has called',
    async () => {
      await both.turn('rome', calling)
      return both.said.has('tunnel')
    },
    60_000,
  )
  await both.until('paris', await paris(), 'WaitingForLiqo')
  await both.connects('rome')
  await both.connects('paris')
  await both.until('rome', await rome(), undefined)
  await both.until('paris', await paris(), undefined)
}

async function connected(test: string) {
  const both = await twoEnds(test)
  const [rome, paris] = [await both.live('rome'), await both.live('paris')]
  await connectEnds(
    both,
    async () => rome,
    async () => paris,
  )
  return { both, rome, paris }
}

const TUNNEL = [LIQO.configuration, LIQO.gatewayClient, LIQO.gatewayServer, LIQO.publicKey]

async function leftIn(namespace: string): Promise<string[]> {
  const lists = await Promise.all(TUNNEL.map((kind) => clients.admin.list(kind, { namespace })))
  return lists.flatMap(({ items }) => items.map((one) => `${one.kind} ${one.metadata.name}`))
}

describe('a tunnel on a real API server', () => {
  it('has at each end what Liqo needs to know of the other', async () => {
    const { both } = await connected('whole')
    const [inRome, inParis] = [both.namespaceOf('rome'), both.namespaceOf('paris')]

    const server = await clients.admin.get<GatewayServer>(LIQO.gatewayServer, 'bourse', inParis)
    expect(server.metadata.labels).toEqual({
      'liqo.io/remote-cluster-id': 'whole-rome',
      'bourse.dev/peer': 'rome',
    })
    expect(server.spec).toMatchObject({
      endpoint: { port: 51_840, serviceType: 'LoadBalancer' },
      mtu: 1_340,
      serverTemplateRef: {
        apiVersion: 'networking.liqo.io/v1beta1',
        kind: 'WgGatewayServerTemplate',
        name: 'wireguard-server',
        namespace: 'whole-paris',
      },
    })
    const client = await clients.admin.get<GatewayClient>(LIQO.gatewayClient, 'bourse', inRome)
    expect(client.spec).toMatchObject({
      endpoint: { addresses: ['203.0.113.7'], port: 51_840, protocol: 'UDP' },
      mtu: 1_340,
      clientTemplateRef: { kind: 'WgGatewayClientTemplate', name: 'wireguard-client' },
    })
    const ofParis = await clients.admin.get<Configuration>(
      LIQO.configuration,
      'whole-paris',
      inRome,
    )
    const ofRome = await clients.admin.get<Configuration>(LIQO.configuration, 'whole-rome', inParis)
    expect(ofParis.spec?.remote?.cidr).toEqual({ pod: ['10.2.0.0/16'], external: ['10.72.0.0/16'] })
    expect(ofRome.spec?.remote?.cidr).toEqual({ pod: ['10.1.0.0/16'], external: ['10.71.0.0/16'] })
    const keyInRome = await clients.admin.get<PublicKey>(LIQO.publicKey, 'whole-paris', inRome)
    const keyInParis = await clients.admin.get<PublicKey>(LIQO.publicKey, 'whole-rome', inParis)
    expect(keyInRome.spec).toEqual({ publicKey: both.keyOf('paris') })
    expect(keyInParis.spec).toEqual({ publicKey: both.keyOf('rome') })
    expect(keyInParis.metadata.labels).toMatchObject({
      'networking.liqo.io/gateway-resource': 'true',
    })
  })

  it('says nothing twice, and nothing that is secret', async () => {
    const { both } = await connected('words')

    expect([...both.said.keys()]).toEqual(['gateway', 'tunnel'])
    expect(both.said.get('tunnel')).toEqual({ echo: 'of paris', publicKey: both.keyOf('rome') })
    expect(both.said.get('gateway')).toEqual({
      echo: 'of rome',
      publicKey: both.keyOf('paris'),
      mtu: 1_340,
      podCIDRs: ['10.2.0.0/16'],
      externalCIDRs: ['10.72.0.0/16'],
      endpoint: { addresses: ['203.0.113.7'], port: 51_840, protocol: 'UDP' },
    })
  })

  it('stands also when each part of it is done by another life of its agent', async () => {
    const both = await twoEnds('lives')

    await connectEnds(
      both,
      () => both.live('rome'),
      () => both.live('paris'),
    )

    expect([...both.said.keys()]).toEqual(['gateway', 'tunnel'])
  })

  it('tells how fast the other end answers, and that it has gone down', async () => {
    const { both, rome } = await connected('speed')
    const place = { liqoId: 'speed-paris', namespace: both.namespaceOf('rome') }

    expect(rome.standing(place)).toMatchObject([
      {
        type: 'NetworkReady',
        status: 'True',
        reason: 'Connected',
        message:
          'The tunnel through 203.0.113.7:51840 (UDP) is up; the other end answers within 20 ms',
      },
    ])

    await both.breaks('rome')

    const down = {
      type: 'NetworkReady',
      status: 'False',
      reason: 'TunnelDown',
      message:
        'The tunnel through 203.0.113.7:51840 (UDP) is not up (Liqo says Error): ' +
        'does that port let UDP through?',
    }
    await expect.poll(() => rome.standing(place), { timeout: 60_000 }).toMatchObject([down])
  })

  it('goes without a trace, and again without complaint', async () => {
    const { both, rome, paris } = await connected('gone')

    for (const [city, network] of [['rome', rome] as const, ['paris', paris] as const]) {
      const namespace = both.namespaceOf(city)
      await eventually('it is gone', () => network.leave(namespace), 60_000)
      expect(await leftIn(namespace)).toEqual([])
      expect(await network.leave(namespace)).toBe(true)
    }
  })

  it('is known to be incomplete when a user deletes a gateway', async () => {
    const { both, rome } = await connected('cut')
    const place = { liqoId: 'cut-paris', namespace: both.namespaceOf('rome') }
    expect(await rome.isThere(place)).toBe(true)

    await clients.admin.delete(LIQO.gatewayClient, { name: 'bourse', namespace: place.namespace })

    await expect.poll(() => rome.isThere(place), { timeout: 60_000 }).toBe(false)
  })
})

describe('a gateway that does not come up', () => {
  it('without an address is told with its type and port, and what to do', async () => {
    const both = await twoEnds('noaddress')
    const paris = await both.live('paris')
    await both.until('paris', paris, 'WaitingForLiqo')
    await both.starts('paris', [])

    both.passMs(60_000)
    await both.until('paris', paris, 'NoGatewayAddress')

    const stop = await both.turn('paris', paris)
    expect(stop?.stop).toMatchObject({ type: 'NetworkReady', status: 'False' })
    expect(stop?.stop.message).toContain(
      'gateway liqo-tenant-noaddress-rome/bourse (LoadBalancer, port 51840) has no address',
    )
    expect(stop?.stop.message).toContain('--gateway-service-type=NodePort')
    expect(both.said.size).toBe(0)
  })

  it('is looked at again by itself before it becomes trouble', async () => {
    const both = await twoEnds('slow')
    const paris = await both.live('paris')

    await both.until('paris', paris, 'WaitingForLiqo')

    const first = await both.turn('paris', paris)
    expect(first?.againAfterMs).toBeGreaterThan(0)
    both.passMs(60_000)
    await both.until('paris', paris, 'GatewayNotReady')
  })
})

describe('what a user made by hand', () => {
  const aConfiguration = (test: string, namespace: string, pod: string): Configuration => ({
    apiVersion: 'networking.liqo.io/v1beta1',
    kind: 'Configuration',
    metadata: { name: 'mine', namespace, labels: { [LABEL.remote]: `${test}-rome` } },
    spec: { remote: { cidr: { pod: [pod], external: ['10.71.0.0/16'] } } },
  })

  it('is used when it says the same, and stays', async () => {
    const both = await twoEnds('hand')
    const namespace = both.namespaceOf('paris')
    await clients.admin.create(LIQO.configuration, aConfiguration('hand', namespace, '10.1.0.0/16'))
    const paris = await both.live('paris')

    await both.until('paris', paris, 'WaitingForLiqo')
    while (!(await paris.leave(namespace)));

    expect(await leftIn(namespace)).toEqual(['Configuration mine'])
  })

  it('stops the peering when it says otherwise, and is not touched', async () => {
    const both = await twoEnds('other')
    const namespace = both.namespaceOf('paris')
    await clients.admin.create(
      LIQO.configuration,
      aConfiguration('other', namespace, '10.9.0.0/16'),
    )
    const paris = await both.live('paris')

    await both.until('paris', paris, 'OtherConfiguration')

    const stop = await both.turn('paris', paris)
    expect(stop?.stop.message).toBe(
      'Configuration liqo-tenant-other-rome/mine was not made by this agent and differs: ' +
        'correct it, or delete it',
    )
    const kept = await clients.admin.get<Configuration>(LIQO.configuration, 'mine', namespace)
    expect(kept.spec?.remote?.cidr?.pod).toEqual(['10.9.0.0/16'])
    expect(await leftIn(namespace)).toEqual(['Configuration mine'])
  })

  it('is taken for the tunnel when it is one, in either direction', async () => {
    const both = await twoEnds('ready')
    const namespace = both.namespaceOf('rome')
    const labels = { [LABEL.remote]: 'ready-paris' }
    await clients.admin.create(LIQO.gatewayServer, {
      apiVersion: 'networking.liqo.io/v1beta1',
      kind: 'GatewayServer',
      metadata: { name: 'mine', namespace, labels },
    })
    const rome = await both.live('rome')
    await both.until('rome', rome, 'WaitingForLiqo')

    await both.connects('rome')
    await both.until('rome', rome, undefined)

    expect(await rome.leave(namespace)).toBe(true)
    expect(await leftIn(namespace)).toEqual(['GatewayServer mine'])
  })
})

describe('the rights of the agent', () => {
  it('do not reach to secrets other than those of its gateways', async () => {
    await clients.admin.create(SECRET, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gw-other', namespace: 'default' },
    })

    await expect(clients.agent.get(SECRET, 'gw-other', 'default')).rejects.toThrow('forbidden')
  })
})
