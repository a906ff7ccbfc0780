import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PeeringSession, PeeringStep } from '@bourse/contract'
import { isSameJson, type Kind, type KubeClient, type KubeObject, systemClock } from '@bourse/kube'
import { NAMESPACE, SECRET } from '../../../kubernetes/kinds.ts'
import {
  CONNECTION,
  GATEWAY_CLIENT,
  GATEWAY_SERVER,
  NETWORK,
  REMOTE_LABEL,
} from '../liqo/liqo-kinds.ts'
import { createLiqoObjects } from '../liqo/liqo-objects.ts'
import { liqoTenantNamespace } from '../liqo/liqo-tenant.ts'
import { readOwnSubnets } from '../liqo/subnets.ts'
import type { ServiceType } from '../liqo/tunnel-objects.ts'
import type { Bodies } from '../session/bodies.ts'
import type { Correspondence, Stop } from '../session/correspondence.ts'
import { aSession } from '../session/session.fixture.ts'
import type { Network, NetworkEnd } from './network.ts'
import { createWireGuard } from './wireguard.ts'

export type Clients = Readonly<{
  /** With the rights that the chart gives. */
  agent: KubeClient
  /** Plays Liqo's controllers and gateways, which need a network of machines. */
  liqo: KubeClient
}>
type Given = Readonly<{
  serviceType?: ServiceType
  /** Where a Liqo is that both share; each has what stands for one of its own otherwise. */
  liqoNamespace?: string
}>
export type City = 'rome' | 'paris'
const OTHER = { rome: 'paris', paris: 'rome' } as const

/** rome's end and paris' end of one tunnel, both on one API server, each in namespaces of its own. */
export async function createTwoEnds({ agent, liqo }: Clients, test: string, given: Given = {}) {
  const { serviceType = 'LoadBalancer' } = given
  const idOf = (city: City) => `${test}-${city}`
  const namespaceOf = (city: City) => `liqo-tenant-${idOf(OTHER[city])}`
  for (const city of ['rome', 'paris'] as const) {
    await liqo.create(NAMESPACE, liqoTenantNamespace(idOf(OTHER[city]), OTHER[city]))
    if (!given.liqoNamespace) await install(liqo, idOf(city), city === 'rome' ? 1 : 2)
  }
  const said = new Map<PeeringStep, unknown>()
  const lives = new Set<() => Promise<void>>()
  /** How far the agents' clock is ahead. */
  let aheadMs = 0

  /** A new life of an agent: it knows what it reads, and nothing else. */
  async function live(city: City): Promise<Network> {
    const onTrouble = () => {}
    const ports = { client: agent, onTrouble, clock: systemClock, withNetworking: true }
    const objects = createLiqoObjects(ports)
    lives.add(objects.stop)
    await soon('all is listed', async () => objects.missing() === undefined)
    const { networks } = objects
    if (!networks) throw new Error('networks are not followed')
    return createWireGuard({
      client: agent,
      letters: lettersIn(said),
      objects,
      networks,
      liqoNamespace: given.liqoNamespace ?? idOf(city),
      serviceType,
      clock: { now: () => Date.now() + aheadMs },
    })
  }

  const turn = async (city: City, network: Network): Promise<Stop | undefined> => {
    const place = { liqoId: idOf(OTHER[city]), namespace: namespaceOf(city), peer: OTHER[city] }
    const ownWords = { challenge: `of ${city}`, echo: `of ${OTHER[city]}`, isBuilder: true }
    const behind = await readOwnSubnets(liqo, given.liqoNamespace ?? idOf('rome'))
    const end: NetworkEnd = { ...place, ...ownWords, ...(city === 'paris' && { behind }) }
    return city === 'rome' ? network.join(SESSION, end) : network.offer(SESSION, end)
  }

  return {
    idOf,
    namespaceOf,
    live,
    turn,
    said,
    /** Takes turns until it is stuck on this; undefined: until the tunnel stands. */
    until: (city: City, network: Network, reason: string | undefined): Promise<void> =>
      soon(`${city} is at ${reason ?? 'a tunnel that stands'}`, async () => {
        return (await turn(city, network))?.stop.reason === reason
      }),
    passMs: (ms: number) => {
      aheadMs += ms
    },
    /** Liqo starts the gateway: it has keys and, at the provider, an address. */
    starts: (city: City, addresses: readonly string[] = ['203.0.113.7']) =>
      start(liqo, city === 'rome' ? GATEWAY_CLIENT : GATEWAY_SERVER, {
        namespace: namespaceOf(city),
        key: keyOf(idOf(city)),
        addresses,
      }),
    connects: (city: City, latency = '12ms') =>
      connect(liqo, namespaceOf(city), { remote: idOf(OTHER[city]), latency }),
    async breaks(city: City): Promise<void> {
      const made = await liqo.get(CONNECTION, 'gw-bourse', namespaceOf(city))
      await liqo.replaceStatus(CONNECTION, { ...made, status: { value: 'Error' } })
    },
    keyOf: (city: City) => keyOf(idOf(city)),
    async stop(): Promise<void> {
      await Promise.all([...lives].map((end) => end()))
    },
  }
}

/** The agents' copies are a moment behind. */
async function soon(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WITHIN_MS; !(await isSo()); await sleep(20))
    if (performance.now() > end) throw new Error(`Not within ${WITHIN_MS} ms: ${what}.`)
}
const WITHIN_MS = 60_000

const SESSION = aSession({ id: 'ps-1' })

/** What is said is heard at once; seals are tested elsewhere. */
function lettersIn(said: Map<PeeringStep, unknown>): Pick<Correspondence, 'read' | 'post'> {
  return {
    async read<S extends PeeringStep>(_: PeeringSession, step: S) {
      const body = said.get(step) as Bodies[S] | undefined
      return body === undefined ? { kind: 'nothing' as const } : { kind: 'genuine' as const, body }
    },
    async post(session, step, body) {
      if (isSameJson(said.get(step), body)) throw new Error(`${step} was said already`)
      said.set(step, structuredClone(body))
      return session
    },
  }
}

function keyOf(liqoId: string): string {
  return createHash('sha256').update(liqoId).digest('base64')
}

async function install(liqo: KubeClient, namespace: string, second: number): Promise<void> {
  await liqo.create(NAMESPACE, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  })
  const networks = { 'pod-cidr': `10.${second}.0.0/16`, 'external-cidr': `10.7${second}.0.0/16` }
  for (const [type, cidr] of Object.entries(networks)) {
    const labels = { 'ipam.liqo.io/network-type': type }
    const made = await liqo.create<KubeObject>(NETWORK, {
      apiVersion: 'ipam.liqo.io/v1alpha1',
      kind: 'Network',
      spec: { cidr },
      metadata: { name: type, namespace, labels },
    })
    await liqo.replaceStatus(NETWORK, { ...made, status: { cidr } })
  }
}

type Started = Readonly<{ namespace: string; key: string; addresses: readonly string[] }>

async function start(liqo: KubeClient, kind: Kind, started: Started): Promise<void> {
  const { namespace, key, addresses } = started
  const gateway = await liqo.get(kind, 'bourse', namespace)
  const metadata = { name: 'gw-bourse', namespace, ownerReferences: [ownerOf(gateway)] }
  const data = { publicKey: key, privateKey: key }
  await liqo.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata, data } as KubeObject)
  const endpoint = { addresses, port: 51_840, protocol: 'UDP' }
  const secretRef = { name: 'gw-bourse', namespace }
  const status = { secretRef, ...(kind === GATEWAY_SERVER && { endpoint }) }
  await liqo.replaceStatus(kind, { ...gateway, status })
}

async function connect(
  liqo: KubeClient,
  namespace: string,
  { remote, latency }: Readonly<{ remote: string; latency: string }>,
): Promise<void> {
  const isServer = await liqo
    .list(GATEWAY_SERVER, { namespace })
    .then(({ items }) => items.length > 0)
  const type = isServer ? 'Server' : 'Client'
  const made = await liqo.create<KubeObject>(CONNECTION, {
    apiVersion: 'networking.liqo.io/v1beta1',
    kind: 'Connection',
    metadata: { name: 'gw-bourse', namespace, labels: { [REMOTE_LABEL]: remote } },
    spec: { type, gatewayRef: { name: 'bourse', namespace } },
  })
  const timestamp = new Date().toISOString()
  const status = { value: 'Connected', latency: { value: latency, timestamp } }
  await liqo.replaceStatus(CONNECTION, { ...made, status })
}

function ownerOf({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }
}
