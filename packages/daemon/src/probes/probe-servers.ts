import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import {
  addressGroup,
  BACKLOG,
  type Connections,
  createConnections,
  openPortLimits,
} from '../connections/index.ts'
import { refuseTunnels } from './refuse-tunnels.ts'
import { createTurns } from './turns.ts'

export type Bind = Readonly<{ host?: string; port: number }>
export type Readiness = Readonly<{
  isReady: boolean
  /** Whether it leads; a warm standby is ready as well. */
  isLeader: boolean
  checks: Readonly<Record<string, string>>
}>

/** Before the start is complete, and during shutdown. */
export function notReady(checks: Readiness['checks']): Readiness {
  return { isReady: false, isLeader: false, checks }
}

export type ProbeServer = Readonly<{ port: number; close(): Promise<void> }>
export type MetricsServer = ProbeServer &
  Readonly<{
    /** Serves with another certificate from now on; no effect without TLS. */
    renew(tls: SecureContextOptions): void
  }>

type Health = Readonly<{ status: 'ok' | 'unavailable'; checks?: Readonly<Record<string, string>> }>
type Page = Readonly<{ status: number; type: string; body: string; allow?: string }>
type Pages = Readonly<Record<string, () => Page | Promise<Page>>>

/** A kubelet and a Prometheus are quick, so slow clients are cut off soon. */
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  handshakeTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
}

/**
 * /healthz: the process is alive. /readyz: it can decide or take over at once, with the checks of
 * its parts. /leaderz: it leads, for load balancers.
 */
export function startHealthServer(
  bind: Bind,
  readiness: () => Readiness,
  connections: Connections = createConnections(),
): Promise<ProbeServer> {
  const pages: Pages = {
    '/healthz': () => json(200, { status: 'ok' }),
    '/readyz': () => verdict(readiness(), 'isReady'),
    '/leaderz': () => verdict(readiness(), 'isLeader'),
  }
  const server = createServer(timeouts, answerFrom(pages))
  connections.keep(server, { name: 'probes', limits: openPortLimits })
  return start(server, bind)
}

function verdict(readiness: Readiness, asked: 'isReady' | 'isLeader'): Page {
  const { [asked]: isOk, checks } = readiness
  return json(isOk ? 200 : 503, { status: isOk ? 'ok' : 'unavailable', checks: { ...checks } })
}

/** The part of a prom-client registry that is used here. */
export type Metrics = Readonly<{ contentType: string; metrics(): Promise<string> }>

type Beside = Readonly<{ tls?: SecureContextOptions | undefined; connections?: Connections }>

/** /metrics, over TLS if given a certificate. */
export async function startMetricsServer(
  bind: Bind,
  registry: Metrics,
  { tls, connections = createConnections() }: Beside = {},
): Promise<MetricsServer> {
  const { contentType: type } = registry
  const page = async () => ({ status: 200, type, body: await registry.metrics() })
  const answer = answerFrom({ '/metrics': page })
  const secure = tls && createSecureServer({ ...timeouts, ...ownOf(tls) }, answer)
  const server = secure ?? createServer(timeouts, answer)
  connections.keep(server, { name: 'metrics', limits: openPortLimits })
  const renew = (next: SecureContextOptions) => secure?.setSecureContext(ownOf(next))
  return { ...(await start(server, bind)), renew }
}

/** Without the CA: scrapers have no client certificate. */
function ownOf({ cert, key, minVersion }: SecureContextOptions): SecureContextOptions {
  return { cert, key, ...(minVersion && { minVersion }) }
}

function json(status: number, body: Health): Page {
  return { status, type: 'application/json', body: `${JSON.stringify(body)}\n` }
}

const METHODS = 'GET, HEAD'
const nothingHere = problem(404, 'This path does not exist.')
const onlyQuestions: Page = { ...problem(405, `Only ${METHODS} are allowed.`), allow: METHODS }

function problem(status: number, detail: string): Page {
  const type = 'application/problem+json'
  return { status, type, body: `${JSON.stringify({ status, detail })}\n` }
}

function answerFrom(pages: Pages) {
  const turns = createTurns({ now: () => performance.now(), later: setTimeout })
  return (request: IncomingMessage, response: ServerResponse): void =>
    turns.ask(addressGroup(request.socket.remoteAddress), () => answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The client has gone.
    if (response.destroyed) return
    await wantedOf(request).then(
      ({ status, type, body, allow }) =>
        response.writeHead(status, { 'content-type': type, ...(allow && { allow }) }).end(body),
      (error: Error) => response.writeHead(500).end(`${error.message}\n`),
    )
  }

  async function wantedOf({ url, method }: IncomingMessage): Promise<Page> {
    const path = url?.split('?')[0] ?? ''
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (!page) return nothingHere
    return method === 'GET' || method === 'HEAD' ? page() : onlyQuestions
  }
}

function start(server: Server, { host, port }: Bind): Promise<ProbeServer> {
  refuseTunnels(server, METHODS)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      // For TCP the address is always an object.
      resolve({ port: (server.address() as AddressInfo).port, close })
    })
  })

  function close(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
}
