import {
  AdvertisementInput,
  GRACE_DEFAULT,
  type JsonSchema,
  validationSchema,
  WithdrawInput,
} from '@bourse/contract'
import type { Cluster, Command, LedgerView, Outcome } from '@bourse/domain/ledger'
import { formatDuration } from '@bourse/domain/quantity'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ignoredFields } from '../../intake/ignored-fields.ts'
import { readAdvertisement } from '../../intake/read-advertisement.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { answer } from '../answers/answer.ts'
import type { HttpLog } from '../answers/http-log.ts'
import { type PageQuery, pageById, readPlace } from '../answers/page.ts'
import { answerPage, SHORT_LIST_ROWS } from '../answers/page-text.ts'
import { given, signatureOf } from '../callers/actor.ts'
import { DOOR, knownCaller, requireOperator, requireSelf } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck } from '../errors/field-check.ts'
import { type Held, heldOn, toInstructions } from '../reservations/reservation-reply.ts'
import { toAdvertisement } from './advertisement-reply.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'submit' | 'read'>
  now(): number
  charging: Pick<Charging, 'heavy'>
  log: HttpLog
  skew: SkewReport | undefined
}>
/** How far an agent's clock is off; reported, never acted upon. */
export type SkewReport = (clusterId: string, skewMs: number) => void
type ById = { Params: { clusterID: string } }

export function advertisementRoutes(server: FastifyInstance, ports: Ports): void {
  const { writer, charging, log } = ports
  const logIgnored = createIgnoredLog(log)

  server.post<{ Body: AdvertisementInput }>(
    '/advertisements',
    { schema: { body: validationSchema(AdvertisementInput) } },
    async (request, reply) => {
      const { body } = request
      const { id } = knownCaller(request)
      if (id !== body.clusterID)
        throw new BrokerError('NotYours', `The certificate is ${id}'s, not ${body.clusterID}'s.`)

      const { outcome } = await writer.submit(toAdvertiseCommand(body))

      if (outcome.kind === 'claimedElsewhere')
        throw new BrokerError(
          'ClaimedElsewhere',
          `${id} is advertised through ${outcome.cluster.door}.`,
        )
      reportSkew(body)
      const ignored = ignoredFields(body)
      logIgnored(id, ignored)
      const { index, advertisement, held } = await writer.read((view, index) => ({
        index,
        advertisement: published(body, view),
        held: heldOn(id, view),
      }))
      const send = () =>
        answer(reply, index, {
          advertisement,
          ...instructed(held),
          ...(ignored.length > 0 && { ignored }),
        })
      if (held.reservations.length <= SHORT_LIST_ROWS) return send()
      return charging.heavy(request, (timed) => timed(send))
    },
  )

  server.get<{ Querystring: PageQuery }>('/advertisements', async (request, reply) => {
    requireOperator(request)
    const check = createFieldCheck()
    const place = readPlace(request.query, check)
    check.done()
    return charging.heavy(request, (timed) =>
      writer.read((view, index) =>
        timed(() => {
          const page = pageById(view.clusters(), place, ({ clusterId }) => clusterId)
          const show = (cluster: Cluster) => toAdvertisement(cluster, view)
          return answerPage(reply, index, { ...page, show })
        }),
      ),
    )
  })

  server.get<ById>('/advertisements/:clusterID', async (request, reply) => {
    const { clusterID } = request.params
    requireSelf(request, clusterID)
    return showCluster(reply, clusterID)
  })

  for (const kind of ['cordon', 'uncordon'] as const)
    server.post<ById>(`/advertisements/:clusterID/${kind}`, async (request, reply) => {
      const { clusterID: clusterId } = request.params
      requireSelf(request, clusterId)
      return change(reply, { kind, clusterId })
    })

  server.post<ById & { Body: WithdrawInput | null }>(
    '/advertisements/:clusterID/withdraw',
    { schema: { body: orNothing(validationSchema(WithdrawInput)) } },
    async (request, reply) => {
      const { clusterID: clusterId } = request.params
      requireSelf(request, clusterId)
      const check = createFieldCheck()
      const graceMs = check.durationMs('grace', request.body?.grace || GRACE_DEFAULT) ?? 0
      check.done()
      return change(reply, { kind: 'withdraw', clusterId, graceMs })
    },
  )

  server.delete<ById>('/advertisements/:clusterID', async (request, reply) => {
    const { clusterID: clusterId } = request.params
    requireSelf(request, clusterId)
    const last = await writer.read((view) => {
      const cluster = view.cluster(clusterId)
      return cluster && toAdvertisement(cluster, view)
    })
    const command = { kind: 'decommission', clusterId } as const
    const { outcome, index } = await writer.submit(given(command, request))
    if (!last || outcome.kind === 'missing') throw unknownCluster(clusterId)
    refuseInUse(clusterId, outcome)
    log.decision(clusterId, 'decommission', lineOf(clusterId, request))
    return answer(reply, index, last)
  })

  type Accepting = Extract<Command, { kind: 'cordon' | 'uncordon' | 'withdraw' }>

  async function change(reply: FastifyReply, command: Accepting): Promise<void> {
    const { clusterId } = command
    const { outcome } = await writer.submit(given(command, reply.request))
    if (outcome.kind === 'missing') throw unknownCluster(clusterId)
    if (outcome.kind === 'clusterChanged' && outcome.changed)
      log.decision(clusterId, command.kind, lineOf(clusterId, reply.request))
    return showCluster(reply, clusterId)
  }

  function showCluster(reply: FastifyReply, clusterId: string): Promise<void> {
    return writer.read((view, index) => {
      const cluster = view.cluster(clusterId)
      if (!cluster) throw unknownCluster(clusterId)
      return answer(reply, index, toAdvertisement(cluster, view))
    })
  }

  function reportSkew({ clusterID, timestamp }: AdvertisementInput): void {
    const saidAt = timestamp ? Date.parse(timestamp) : Number.NaN
    if (Number.isFinite(saidAt)) ports.skew?.(clusterID, saidAt - ports.now())
  }
}

/** By the cluster itself, unless an actor is named. */
function lineOf(clusterId: string, request: FastifyRequest) {
  return { clusterId, by: knownCaller(request).id, ...signatureOf(request) }
}

function published({ clusterID, location }: AdvertisementInput, view: LedgerView) {
  const cluster = view.cluster(clusterID)
  if (!cluster) throw unknownCluster(clusterID)
  const advertisement = toAdvertisement(cluster, view)
  // An agent that sends a place as an object reads it back as one, or fails on the whole answer.
  return location ? { ...advertisement, location } : advertisement
}

function instructed(held: Held) {
  return held.reservations.length > 0 ? { providerInstructions: toInstructions(held) } : {}
}

/** A line for each cluster and each set of fields: agents repeat theirs twice a minute. */
function createIgnoredLog(log: HttpLog) {
  const told = new Map<string, string>()
  return (clusterId: string, ignored: readonly string[]) => {
    const fields = ignored.join(', ')
    if (fields === (told.get(clusterId) ?? '')) return
    told.set(clusterId, fields)
    if (fields === '') return
    log.decision(clusterId, 'the advertisement has fields that are not known', {
      clusterId,
      ignored,
    })
  }
}

function unknownCluster(clusterId: string): BrokerError {
  return new BrokerError('AdvertisementNotFound', `${clusterId} has not advertised.`)
}

function refuseInUse(clusterId: string, outcome: Outcome): void {
  if (outcome.kind === 'stillHolding') {
    const held = outcome.count === 1 ? 'a reservation' : `${outcome.count} reservations`
    throw new BrokerError('StillInUse', `${clusterId} still holds ${held}.`)
  }
  if (outcome.kind === 'stillSpokenFor')
    throw new BrokerError('StillInUse', `${clusterId} has a ClusterAdvertisement of its own.`)
  if (outcome.kind === 'stillHeard') {
    const ago = formatDuration(Math.round(outcome.silentMs / 1_000) * 1_000)
    throw new BrokerError(
      'AgentRuns',
      `The agent of ${clusterId} still runs: it advertised ${ago} ago.`,
    )
  }
}

/** The body may be left out; references within a schema are counted from its root. */
function orNothing({ definitions, ...schema }: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }], definitions }
}

/** A posted advertisement as a command; throws with every bad field named. */
function toAdvertiseCommand(body: AdvertisementInput): Command {
  const check = createFieldCheck()
  const advertisement = readAdvertisement(body, check)
  check.done()
  const { seenIndex } = body
  return {
    kind: 'advertise',
    door: DOOR,
    clusterId: body.clusterID,
    advertisement,
    ...(typeof seenIndex === 'number' && { seenIndex }),
  }
}
