import type { PeeringSession } from '@bourse/contract'
import type { KubeClient } from '@bourse/kube'
import { waiting } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { NetworkObjects } from '../liqo/network-objects.ts'
import { type GatewayClient, gatewayClient } from '../liqo/tunnel-objects.ts'
import type { Bodies } from '../session/bodies.ts'
import { awaitedOf, heardOr, type Messages, type Stop } from '../session/messages.ts'
import { gatewayKey, placeOfGateway } from './gateways.ts'
import type { NetworkEnd } from './network.ts'
import type { OwnObjects } from './own-objects.ts'
import type { TunnelState } from './tunnel-state.ts'
import { placeOf, SLOW_MS, stopAt, TYPE } from './tunnel-state.ts'
import { gatewayProblem } from './tunnel-words.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  messages: Pick<Messages, 'read' | 'post'>
  networks: NetworkObjects
  own: OwnObjects
  tunnel: TunnelState
  liqoNamespace: string
}>

/** The end that calls: where, the provider says. */
export function createRequesterEnd(ports: Ports) {
  const { messages, networks, own, tunnel, liqoNamespace } = ports

  return async function join(session: PeeringSession, end: NetworkEnd): Promise<Stop | undefined> {
    const place = await placeOfGateway(ports, end, {
      mine: networks.client(end.liqoId),
      other: networks.server(end.liqoId),
      otherKind: LIQO.gatewayServer,
    })
    if (place !== 'free') return place.taken
    const expected = { type: TYPE, challenge: end.challenge } as const
    const awaited = awaitedOf(TYPE, end.peer, session)
    const said = heardOr(await messages.read(session, 'gateway'), { ...expected, awaited })
    if ('stop' in said) return said
    const problem = gatewayProblem(said.body)
    if (problem === undefined) return build(session, end, said.body)
    const message = `The gateway of ${end.peer} is not valid: ${problem}.`
    return { stop: waiting(TYPE, 'BadGateway', message) }
  }

  async function build(
    session: PeeringSession,
    end: NetworkEnd,
    { endpoint, mtu, publicKey, ...subnets }: Bodies['gateway'],
  ): Promise<Stop | undefined> {
    const met = await own.behind(end, subnets)
    if ('stop' in met) return met
    const client = await own.ensure(
      LIQO.gatewayClient,
      networks.client(end.liqoId),
      gatewayClient(end, { endpoint, mtu, liqoNamespace }),
    )
    if ('stop' in client) return client
    const key = await own.key(end, publicKey)
    if ('stop' in key) return key
    return (await call(session, end, client.made)) ?? tunnel.wait(end)
  }

  /** Tells the provider which key will call, once. */
  async function call(
    session: PeeringSession,
    end: NetworkEnd,
    client: GatewayClient,
  ): Promise<Stop | undefined> {
    const publicKey = await gatewayKey(ports.client, client)
    if (publicKey === undefined) return notReady(client, tunnel.ageOf(end))
    const told = await messages.read(session, 'tunnel')
    const said = told.kind === 'genuine' ? told.body : undefined
    if (said?.echo === end.echo && said.publicKey === publicKey) return undefined
    await messages.post(session, 'tunnel', { echo: end.echo, publicKey })
    return undefined
  }
}

function notReady({ metadata, spec }: GatewayClient, ageMs: number): Stop {
  const what = `gateway ${metadata.namespace}/${metadata.name} that calls ${placeOf(spec?.endpoint)}`
  if (ageMs < SLOW_MS)
    return stopAt(waiting(TYPE, 'WaitingForLiqo', `Liqo here is starting the ${what}`), ageMs)
  return { stop: waiting(TYPE, 'GatewayNotReady', `The ${what} ${NOT_STARTED}`) }
}

const NOT_STARTED =
  'is not started by Liqo: is its networking module on, and is there a template wireguard-client?'
