import {
  type Clock,
  type Connection,
  ignoring,
  isForbidden,
  isNotFound,
  type Kind,
  type KubeClient,
  type KubeObject,
  systemClock,
} from '@bourse/kube'
import {
  CONFIG_MAP,
  type ConfigMap,
  ENDPOINT_SLICE,
  type StatedCondition,
} from '../kubernetes/kinds.ts'
import { untilAnswered } from '../kubernetes/until-answered.ts'
import type { Log } from '../runtime/log.ts'

const SOURCES = {
  Flag: '--endpoint-url',
  Kubeconfig: 'the kubeconfig',
  ClusterInfo: 'ConfigMap kube-public/cluster-info',
  Endpoints: 'the endpoints of Service default/kubernetes',
  KubeadmConfig: 'ConfigMap kube-system/kubeadm-config',
} as const
export type Endpoint = Readonly<{ url: string; source: keyof typeof SOURCES }>

type Reader = Pick<KubeClient, 'get'>
type Ports = Readonly<{
  client: Reader
  /** Known without asking the API server. */
  stated?: Endpoint | undefined
  log: Pick<Log, 'warn'>
  clock?: Pick<Clock, 'random' | 'sleep'>
}>

const NOT_FOUND: StatedCondition = {
  type: 'EndpointKnown',
  status: 'False',
  reason: 'NotFound',
  message: 'Where requesters reach this API server is not known: set --endpoint-url.',
}

/** The in-cluster address of the API server cannot be reached from outside. */
export function statedEndpoint(
  flag: string | undefined,
  { source, server }: Pick<Connection, 'source' | 'server'>,
): Endpoint | undefined {
  if (flag !== undefined) return { url: flag, source: 'Flag' }
  return source !== 'in-cluster' && isHttps(server)
    ? { url: server, source: 'Kubeconfig' }
    : undefined
}

/** Where requesters reach this cluster's API server, and who says so. */
export function createEndpoint({ client, stated, log, clock = systemClock }: Ports) {
  const stopping = new AbortController()
  let found = stated
  let isSought = stated !== undefined

  return {
    url: (): string | undefined => found?.url,
    /** Asks the API server, if nothing is stated; waits for it for as long as it takes. */
    async find(): Promise<void> {
      if (isSought) return
      const { signal } = stopping
      const onTrouble = (err: Error, pauseMs: number) =>
        log.warn({ pauseMs, err }, 'cannot look for the address of this API server')
      found = await untilAnswered(() => discover(client), { clock, signal, onTrouble })
      isSought = true
    },
    stop: () => stopping.abort(),
    /** None before it has been looked for. */
    conditions(): StatedCondition[] {
      if (!found) return isSought ? [NOT_FOUND] : []
      const { url, source: reason } = found
      const message = `Requesters reach this API server at ${url}, as ${SOURCES[reason]} says.`
      return [{ type: 'EndpointKnown', status: 'True', reason, message }]
    },
  }
}

/** The first of them that names an address outside of the cluster. */
async function discover(client: Reader): Promise<Endpoint | undefined> {
  const looks = [
    { source: 'ClusterInfo', look: inClusterInfo },
    { source: 'Endpoints', look: inEndpoints },
    { source: 'KubeadmConfig', look: inKubeadmConfig },
  ] as const
  for (const { source, look } of looks) {
    const url = await look(client)
    if (url !== undefined && isOutside(url)) return { url, source }
  }
  return undefined
}

/** Only one line of each is of interest: the library that reads YAML takes memory for ever. */
const SERVER = /^\s*(?:- )?server:\s*["']?([^\s"']+)/m
const CONTROL_PLANE = /^controlPlaneEndpoint:\s*["']?([^\s"']+)/m
const API_PORT = 6443

async function inClusterInfo(client: Reader): Promise<string | undefined> {
  const info = await read<ConfigMap>(client, CONFIG_MAP, 'cluster-info', 'kube-public')
  return SERVER.exec(info?.data?.kubeconfig ?? '')?.[1]
}

async function inKubeadmConfig(client: Reader): Promise<string | undefined> {
  const config = await read<ConfigMap>(client, CONFIG_MAP, 'kubeadm-config', 'kube-system')
  const place = CONTROL_PLANE.exec(config?.data?.ClusterConfiguration ?? '')?.[1]
  if (place === undefined) return undefined
  return `https://${/:\d+$/.test(place) ? place : `${place}:${API_PORT}`}`
}

type EndpointSlice = KubeObject &
  Readonly<{
    endpoints?: readonly Readonly<{ addresses?: readonly string[] }>[] | null
    ports?: readonly Readonly<{ port?: number }>[] | null
  }>

async function inEndpoints(client: Reader): Promise<string | undefined> {
  const slice = await read<EndpointSlice>(client, ENDPOINT_SLICE, 'kubernetes', 'default')
  const address = slice?.endpoints?.[0]?.addresses?.[0]
  if (address === undefined) return undefined
  const host = address.includes(':') ? `[${address}]` : address
  return `https://${host}:${slice?.ports?.[0]?.port ?? API_PORT}`
}

/** What is not there, or must not be read, says nothing. */
function read<T extends KubeObject>(client: Reader, kind: Kind, name: string, namespace: string) {
  const isSilent = (thrown: unknown) => isNotFound(thrown) || isForbidden(thrown)
  return ignoring(isSilent, client.get<T>(kind, name, namespace))
}

const INSIDE = /^(localhost|127\..*|0\.0\.0\.0|\[::1?\]|kubernetes(\.default.*)?|.*\.svc(\..*)?)$/

function isOutside(url: string): boolean {
  return isHttps(url) && !INSIDE.test(new URL(url).hostname)
}

function isHttps(url: string): boolean {
  return URL.parse(url)?.protocol === 'https:'
}
