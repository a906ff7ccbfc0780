import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { AuditState } from '@bourse/contract/dashboard'
import {
  BACKLOG,
  type Connections,
  createConnections,
  openPortLimits,
} from '@bourse/daemon/connections'
import { refuseTunnels } from '@bourse/daemon/refuse-tunnels'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { AuditReport } from '../after-commit/auditor.ts'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import { secondsUntilAgain } from '../presentation/try-again.ts'
import { assertProtected, type DashboardAddress, pageUrl } from './access/dashboard-address.ts'
import { type HostPolicy, refusalOf } from './access/request-guard.ts'
import { createSessions, type Sessions } from './access/session.ts'
import { createTokenGuesses, RETRY_AFTER_SECONDS } from './access/token-guesses.ts'
import { addDataRoutes } from './overview/data-routes.ts'
import type { ExplanationPorts } from './overview/explained.ts'
import { createLiveOverview, type LiveOverviewPorts } from './overview/live-overview.ts'
import { createOverviewStream } from './overview/overview-stream.ts'
import type { RecentRefusals } from './overview/recent-refusals.ts'
import { BUILT_PAGE_DIR, readPageAssets } from './pages/page-assets.ts'
import { addPageRoutes } from './pages/page-routes.ts'

export type DashboardOptions = ExplanationPorts &
  Readonly<{
    address: DashboardAddress
    /** Names beyond loopback and the bound address that the page is reached by. */
    hostNames?: readonly string[]
    /** Required outside loopback; asked for wherever it is given. */
    token?: string
    assetsDir?: string
    writer: Pick<LedgerWriter, 'read' | 'subscribe'>
    refusals: RecentRefusals
    earlier?: LiveOverviewPorts['earlier']
    audit(): AuditReport
    now(): number
    connections?: Connections
    /** Called for each wrong token, and for each that was not compared. */
    guessed?(how: 'wrongToken' | 'tooManyTries'): void
    /** Slows guesses down; a test replaces it. */
    pause?(ms: number): Promise<void>
    /** Called with the cause of a 500, for the log. */
    onFault(cause: Error): void
  }>

export type DashboardServer = {
  readonly server: FastifyInstance
  /** Answers with the page's address. */
  listen(): Promise<string>
  close(): Promise<void>
}

const BODY_MAX_BYTES = 4 * 1024
const HEADERS_MAX_BYTES = 16 * 1024
const REQUEST_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 10_000
const CHECKING_INTERVAL_MS = 5_000

/** The live page and what it draws, on a port of its own: plain HTTP, read-only. */
export async function createDashboardServer(options: DashboardOptions): Promise<DashboardServer> {
  const { address, token, now } = options
  assertProtected(address, token)
  const sessions = token === undefined ? undefined : sessionsOf(token, options)
  const { writer, refusals, decisionOf, earlier } = options
  const audit = () => toAuditState(options.audit())
  const live = await createLiveOverview({ writer, refusals, decisionOf, earlier, audit, now })
  const stream = createOverviewStream({ source: live, now })
  const assets = await readPageAssets(options.assetsDir ?? BUILT_PAGE_DIR)

  const server = createServer()
  const { connections = createConnections() } = options
  connections.keep(server.server, { name: 'page', limits: openPortLimits })
  refuseTunnels(server.server, 'GET, HEAD')
  server.addHook('onRequest', guard(hostPolicy(options), sessions))
  server.setErrorHandler(errorReply(options.onFault))
  server.setNotFoundHandler((_request, reply) => problem(reply, 404, 'There is nothing here.'))
  addPageRoutes(server, { assets, sessions })
  addDataRoutes(server, { live, stream, explanation: options })
  server.addHook('preClose', async () => stream.close())
  server.addHook('onClose', async () => live.close())

  return {
    server,
    async listen() {
      const { port, host = '::' } = address
      await server.listen({ port, host, backlog: BACKLOG })
      // A TCP server's address is never the path of a pipe.
      const bound = server.server.address() as AddressInfo
      return pageUrl(address.host, bound.port)
    },
    close: () => server.close(),
  }
}

function createServer(): FastifyInstance {
  return fastify({
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    http: {
      maxHeaderSize: HEADERS_MAX_BYTES,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    },
  })
}

function hostPolicy({ address, hostNames = [], token }: DashboardOptions): HostPolicy {
  return { boundHost: address.host, hostNames, hasSignIn: token !== undefined }
}

function sessionsOf(token: string, options: DashboardOptions): Sessions {
  const { now, pause = pauseFor, guessed } = options
  const guesses = createTokenGuesses({ now, pause, guessed })
  return createSessions(token, { now, guesses })
}

const pauseFor = (ms: number) => setTimeout(ms, undefined, { ref: false })

/** What a browser needs before it has signed in. By route, because a path has many spellings. */
const PUBLIC_ROUTES: ReadonlySet<string | undefined> = new Set([
  '/sign-in',
  '/plain.css',
  '/favicon.svg',
])

function guard(policy: HostPolicy, sessions: Sessions | undefined) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(SECURITY_HEADERS)
    const { headers, method } = request
    const route = request.routeOptions.url
    const refusal = refusalOf(
      {
        method,
        route,
        host: headers.host,
        origin: headers.origin,
        fetchSite: one(headers['sec-fetch-site']),
        fetchMode: one(headers['sec-fetch-mode']),
      },
      policy,
    )
    if (refusal) return problem(reply, refusal.status, refusal.detail)
    if (!sessions || PUBLIC_ROUTES.has(route)) return
    const standing = await sessions.check(headers, request.ip)
    if (standing === 'signedIn') return
    if (standing === 'tooManyTries') return tooManyTries(reply)
    if (route === '/') return reply.redirect('/sign-in', 303)
    reply.header('www-authenticate', 'Bearer')
    return problem(reply, 401, "Sign in first: this needs the operator's token.")
  }
}

function tooManyTries(reply: FastifyReply): FastifyReply {
  reply.header('retry-after', RETRY_AFTER_SECONDS)
  return problem(reply, 429, 'Too many wrong tokens come from your address: wait a moment.')
}

const one = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(',') : header

function errorReply(onFault: (cause: Error) => void) {
  return (error: Error & { statusCode?: number }, _: FastifyRequest, reply: FastifyReply) => {
    const retryAfterSeconds = secondsUntilAgain(error)
    if (retryAfterSeconds !== undefined) {
      reply.header('retry-after', retryAfterSeconds)
      return problem(reply, 503, error.message)
    }
    const status = error.statusCode ?? 500
    if (status < 500) return problem(reply, status, error.message)
    onFault(error)
    return problem(reply, 500, 'The broker could not answer. Its log says why.')
  }
}

function problem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  if (status === 405) reply.header('allow', 'GET, HEAD')
  return (
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .type('application/problem+json')
      // As bytes: to a string fastify would add a charset, which this media type does not have.
      .send(Buffer.from(JSON.stringify({ status, detail })))
  )
}

/** Sent with every answer: no foreign scripts, no framing, no reading from other origins. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: the sign-in form would then be posted from the origin `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** The auditor's report in a word and a sentence. */
function toAuditState({ state, index, at, findings }: AuditReport): AuditState {
  switch (state) {
    case 'starting':
      return { verdict: 'unknown', detail: 'The first audit has not finished yet.' }
    case 'consistent': {
      const detail = `Events, recount and running sums agree at index ${index}.`
      return { verdict: 'sound', detail, checkedAt: at }
    }
    case 'inconsistent':
      return { verdict: 'unsound', detail: findings.join(' '), checkedAt: at }
  }
}
