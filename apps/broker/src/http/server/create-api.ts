import { API_BASE, LEADER_HEADER, openApiText } from '@bourse/contract'
import type { Ranking } from '@bourse/domain/placement'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { AuditReport } from '../../after-commit/auditor.ts'
import { createChangeFeed } from '../../after-commit/change-feed.ts'
import type { EventRing } from '../../after-commit/event-ring.ts'
import { keepShapes } from '../../cache/keep-shapes.ts'
import { createSeldom } from '../../cache/seldom.ts'
import type { FairShare } from '../../fair-share/index.ts'
import type { Admission } from '../../intake/admission.ts'
import type { RequestLimits } from '../../intake/read-request.ts'
import { type LedgerWriter, WriterUnavailable } from '../../ledger/writer/ledger-writer.ts'
import { isoOf } from '../../presentation/moments.ts'
import { createProviderNotes } from '../../presentation/provider-notes.ts'
import type { RollbackGuard } from '../../rollback/rollback-guard.ts'
import type { DecisionRecord, History } from '../../store/port/history.ts'
import { advertisementRoutes, type SkewReport } from '../advertisements/advertisement-routes.ts'
import { answerHeaders, createDateHeader } from '../answers/answer-headers.ts'
import { answerErrors, refuseUnknownRoutes } from '../answers/error-reply.ts'
import { createHttpLog } from '../answers/http-log.ts'
import { createLongPolls } from '../answers/long-polls.ts'
import { authenticate } from '../callers/authenticate.ts'
import { type Caller, requireOperator } from '../callers/caller.ts'
import { type Charging, chargeRequests } from '../callers/charge-requests.ts'
import { sendLongAnswersInPieces } from '../callers/long-answers.ts'
import type { Probing } from '../callers/probing.ts'
import { judgeSeen } from '../callers/seen-header.ts'
import { createTrialCharge } from '../callers/trial-charge.ts'
import { evaluationRoutes } from '../evaluations/evaluation-routes.ts'
import { type EventStreams, eventStreamRoutes } from '../events/event-stream-routes.ts'
import { createRefusals } from '../explanations/explanation-reply.ts'
import { peeringQueries } from '../peerings/peering-queries.ts'
import { peeringRoutes } from '../peerings/peering-routes.ts'
import { parsed } from '../requests/large-bodies.ts'
import { takeOnlyKnown } from '../requests/take-only-known.ts'
import { createReservationLookup } from '../reservations/reservation-lookup.ts'
import { reservationQueries } from '../reservations/reservation-queries.ts'
import { reservationRoutes } from '../reservations/reservation-routes.ts'
import { tellHolders } from '../reservations/tell-holders.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** By a clock that only ever runs forward. */
    arrivedAt: number
  }
}

export type ApiPorts = Readonly<{
  writer: Pick<LedgerWriter, 'submit' | 'read' | 'subscribe' | 'index' | 'isCrowded'>
  history: Pick<History, 'decision' | 'ended' | 'listEnded'>
  /** The full table of a decision by replay, for a reader; undefined when it is too old. */
  explainAt(record: DecisionRecord, reader?: string): Promise<Ranking | undefined>
  /** Audits now; a second caller gets the same report. */
  audit(): Promise<AuditReport>
  admission(): Admission
  /** One for all interfaces: a cluster's share does not double with a second one. */
  share: FairShare
  /** Shared by all interfaces, so that probing is counted across them. */
  probing: Probing
  /** The latest events, those of before the start among them. */
  ring: EventRing
  /** The broker's time. */
  now(): number
  /** Detects a store that was put back to an older copy of its ledger. */
  rollback: Pick<RollbackGuard, 'proof' | 'judge'>
  /** A sign of life; called at most once in a few seconds for each cluster. */
  heard(clusterId: string): void
  skew?: SkewReport | undefined
  /** Why this broker must not answer, though it listens; undefined while it may. */
  whyNotLeading?(): string | undefined
  /** Where the broker that leads instead is reached. */
  leader?(): string | undefined
  answered?(answer: Answered): void
  log: Logger
}>

export type Answered = Readonly<{ method: string; route: string; status: number; tookMs: number }>

export type ApiSettings = RequestLimits &
  Readonly<{
    ledgerId: string
    /** Of the leader: another one with each start and each new leader. */
    term: string
    version: string
    currency: string
  }>

export type Transport = Readonly<{
  identify(request: FastifyRequest): Caller
  /** Whether the connection has to end with this answer. */
  isLast(request: FastifyRequest): boolean
}>

export type Api = Readonly<{
  date(): string
  /** Answers long polls with the current state and ends streams; `closing`: accepts no more. */
  endWaits(options: Readonly<{ closing: boolean }>): void
  /** Long polls and streams that are open. */
  waiting(): number
}>

/** Often enough for a limit of hours, seldom enough to cost nothing. */
const SIGN_OF_LIFE_MS = 5_000

/** Puts the whole API onto a server: first the hooks in their order, then the routes. */
export async function createApi(
  server: FastifyInstance,
  ports: ApiPorts,
  { settings, identify, isLast }: Transport & Readonly<{ settings: ApiSettings }>,
): Promise<Api> {
  const { writer, history, now, share, probing } = ports
  const { rate } = share
  const { proof, judge } = ports.rollback
  const { ledgerId, term, currency, version } = settings
  const log = createHttpLog(ports.log)
  const date = createDateHeader(now)
  const isDue = createSeldom(SIGN_OF_LIFE_MS, now)
  const heard = (clusterId: string) => void (isDue(clusterId) && ports.heard(clusterId))
  const index = () => writer.index()
  const noteOf = await createProviderNotes(writer)
  const clusterIds = await writer.read((view) => [...view.clusters()].map((one) => one.clusterId))
  // No await from here until they subscribe: no commit can come in between.
  const feed = createChangeFeed(writer.index())
  const lookup = createReservationLookup(writer, history)
  const refusals = createRefusals(writer, currency)
  writer.subscribe(feed.publish)
  writer.subscribe(tellHolders({ writer, feed, noteOf, clusterIds }))

  const tell = follow(server, ports.answered)
  const charging = chargeRequests(server, share)
  acceptOnlyJson(server, charging)
  answerErrors(server, log)
  answerHeaders(server, { ledgerId, term, index, proof, date, isLast })
  refuseUnlessLeading(server, ports)
  const isWelcome = authenticate(server, { identify, admission: ports.admission, charging, heard })
  judgeSeen(server, judge)
  refuseUnknownRoutes(server)
  sendLongAnswersInPieces(server)
  takeOnlyKnown(server)
  const polls = createLongPolls({ feed, index, identify, isWelcome, charging })
  server.addHook('onClose', async () => polls.stop())

  const health = async () => ({ status: 'ok' })
  server.get('/healthz', health)
  let streams: EventStreams | undefined
  await server.register(
    async (api) => {
      api.get('/healthz', health)
      advertisementRoutes(api, { writer, now, charging, log, skew: ports.skew })
      reservationRoutes(api, {
        writer,
        lookup,
        refusals,
        limits: settings,
        noteOf,
        charging,
        log,
        trials: createTrialCharge({ rate, probing, noteOf, now }),
      })
      reservationQueries(api, { writer, history, lookup, polls, noteOf, charging })
      peeringRoutes(api, { writer, log })
      peeringQueries(api, { writer, polls, charging })
      evaluationRoutes(api, {
        writer,
        lookup,
        rate,
        probing,
        charging,
        currency,
        limits: settings,
        explainAt: ports.explainAt,
        decisionOf: history.decision,
      })
      streams = eventStreamRoutes(api, {
        ring: ports.ring,
        polls,
        ledgerId,
        index,
        proof,
        now,
        date,
        noteOf,
        isWelcome,
        tell,
        charging,
      })
      operationRoutes(api, { audit: ports.audit, version })
    },
    { prefix: API_BASE },
  )

  return {
    date,
    waiting: () => polls.count() + (streams?.count() ?? 0),
    endWaits(options) {
      polls.endAll(options)
      streams?.endAll()
    },
  }
}

/** A broker that another one has replaced could give outdated answers, even to questions. */
function refuseUnlessLeading(server: FastifyInstance, { whyNotLeading, leader }: ApiPorts): void {
  if (!whyNotLeading) return
  server.addHook('onRequest', (_request, reply, done) => {
    const why = whyNotLeading()
    const instead = leader?.()
    if (why !== undefined && instead !== undefined) reply.header(LEADER_HEADER, instead)
    done(why === undefined ? undefined : new WriterUnavailable(why))
  })
}

function acceptOnlyJson(server: FastifyInstance, charging: Pick<Charging, 'parse'>): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (request: FastifyRequest, text: string, done: TellBody) =>
      charging.parse(request, text.length, {
        read: () => parsed(text),
        use: (body) => (body instanceof Error ? done(body) : done(null, body)),
      }),
  )
}

type TellBody = (error: Error | null, body?: unknown) => void

/**
 * Reports every answer as it is sent. Fastify's hook for sent answers costs each answer more than
 * the report.
 */
function follow(server: FastifyInstance, answered: ApiPorts['answered']): Tell {
  const keep = keepShapes()
  server.decorateRequest('arrivedAt', 0)
  server.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = performance.now()
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    keep(tell(request, reply.statusCode), reply)
    done(null, payload)
  })
  return tell

  function tell(request: FastifyRequest, status: number): string {
    const { method, arrivedAt } = request
    const route = request.routeOptions.url ?? 'unknown'
    answered?.({ method, route, status, tookMs: performance.now() - arrivedAt })
    return route
  }
}

type Tell = (request: FastifyRequest, status: number) => void

type Ports = Readonly<{ audit(): Promise<AuditReport>; version: string }>

function operationRoutes(server: FastifyInstance, { audit, version }: Ports): void {
  server.get('/openapi.json', async (_request, reply) => {
    const text = openApiText(version)
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  })
  server.get('/audit', async (request) => {
    requireOperator(request)
    const { at, ...report } = await audit()
    return { ...report, checkedAt: isoOf(at) }
  })
}
