import type { PeeringSession } from '@bourse/contract'
import { isSameJson, type KubeClient } from '@bourse/kube'
import { waiting } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { NetworkObjects } from '../liqo/network-objects.ts'
import { NO_SUBNETS, type Subnets, subnetsProblem } from '../liqo/subnets.ts'
import {
  type Endpoint,
  type GatewayServer,
  gatewayServer,
  MTU,
  type ServiceType,
} from '../liqo/tunnel-objects.ts'
import { awaitedOf, heardOr, type Messages, type Stop } from '../session/messages.ts'
import { gatewayKey, placeOfGateway } from './gateways.ts'
import type { NetworkEnd } from './network.ts'
import type { OwnObjects } from './own-objects.ts'
import type { TunnelState } from './tunnel-state.ts'
import { SLOW_MS, stopAt, TYPE } from './tunnel-state.ts'
import { keyProblem } from './tunnel-words.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  messages: Pick<Messages, 'read' | 'post'>
  networks: NetworkObjects
  own: OwnObjects
  tunnel: TunnelState
  subnets(): Promise<Subnets | undefined>
  liqoNamespace: string
  serviceType: ServiceType
  gatewayAddress?: string | undefined
}>

/** The end that waits to be called: its address goes to the requester. */
export function createProviderEnd(ports: Ports) {
  const { messages, networks, own, tunnel } = ports

  return async function offer(session: PeeringSession, end: NetworkEnd): Promise<Stop | undefined> {
    const problem = subnetsProblem(end.behind)
    if (problem !== undefined || end.behind === undefined)
      return {
        stop: waiting(TYPE, 'BadSubnets', `The network of ${end.peer} is not valid: ${problem}.`),
      }
    const place = await placeOfGateway(ports, end, {
      mine: networks.server(end.liqoId),
      other: networks.client(end.liqoId),
      otherKind: LIQO.gatewayClient,
    })
    return place === 'free' ? build(session, end, end.behind) : place.taken
  }

  async function build(
    session: PeeringSession,
    end: NetworkEnd,
    behind: Subnets,
  ): Promise<Stop | undefined> {
    const met = await own.behind(end, behind)
    if ('stop' in met) return met
    const server = await own.ensure(
      LIQO.gatewayServer,
      networks.server(end.liqoId),
      gatewayServer(end, ports),
    )
    if ('stop' in server) return server
    return (await invite(session, end, server.made)) ?? (await welcome(session, end))
  }

  /** Tells where to call, once. */
  async function invite(session: PeeringSession, end: NetworkEnd, server: GatewayServer) {
    const endpoint = endpointOf(server)
    const key = endpoint && (await gatewayKey(ports.client, server))
    if (!endpoint || key === undefined) return notReady(server, endpoint, tunnel.ageOf(end))
    const told = await messages.read(session, 'gateway')
    const said = told.kind === 'genuine' ? told.body : undefined
    const isTold =
      said?.echo === end.echo && said.publicKey === key && isSameJson(said.endpoint, endpoint)
    if (isTold) return undefined
    const subnets = await ports.subnets()
    if (!subnets) return { stop: waiting(TYPE, 'NoSubnets', NO_SUBNETS) }
    const body = { echo: end.echo, ...subnets, publicKey: key, endpoint, mtu: MTU }
    await messages.post(session, 'gateway', body)
    return undefined
  }

  /** Takes the requester's key, so that its call is answered. */
  async function welcome(session: PeeringSession, end: NetworkEnd): Promise<Stop | undefined> {
    const expected = { type: TYPE, challenge: end.challenge } as const
    const awaited = awaitedOf(TYPE, end.peer, session)
    const said = heardOr(await messages.read(session, 'tunnel'), { ...expected, awaited })
    if ('stop' in said) return said
    const problem = keyProblem(said.body.publicKey)
    if (problem !== undefined)
      return {
        stop: waiting(TYPE, 'BadKey', `The gateway of ${end.peer} is not valid: ${problem}.`),
      }
    const key = await own.key(end, said.body.publicKey)
    return 'stop' in key ? key : tunnel.wait(end)
  }

  function endpointOf({ status }: GatewayServer): Endpoint | undefined {
    const { addresses = [], port, protocol } = status?.endpoint ?? {}
    // Liqo has an empty one of a node that is not ready.
    const given = addresses.filter((address) => address !== '')
    const hosts = ports.gatewayAddress === undefined ? given : [ports.gatewayAddress]
    if (hosts.length === 0 || port === undefined) return undefined
    return { addresses: hosts, port, ...(protocol !== undefined && { protocol }) }
  }

  function notReady(server: GatewayServer, endpoint: Endpoint | undefined, ageMs: number): Stop {
    const { namespace, name } = server.metadata
    const what = `gateway ${namespace}/${name} (${ports.serviceType}, port ${server.spec?.endpoint.port})`
    if (ageMs < SLOW_MS)
      return stopAt(waiting(TYPE, 'WaitingForLiqo', `Liqo here is starting ${what}`), ageMs)
    const isServed = server.status?.endpoint?.port !== undefined
    if (!endpoint && isServed)
      return { stop: waiting(TYPE, 'NoGatewayAddress', `The ${what} ${NO_ADDRESS}`) }
    return { stop: waiting(TYPE, 'GatewayNotReady', `The ${what} ${NOT_STARTED}`) }
  }
}

const NO_ADDRESS =
  'has no address that other clusters can reach: does this cluster assign addresses to Services of ' +
  'that type? --gateway-service-type=NodePort needs none, --gateway-address=HOST sets one by hand.'
const NOT_STARTED =
  'is not started by Liqo: is its networking module on, and is there a template wireguard-server?'
