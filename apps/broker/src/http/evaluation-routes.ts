import { type Explanation, ReservationRequest, validationSchema } from '@bourse/contract'
import type { Reservation } from '@bourse/domain/ledger'
import { bandOf, formatScore, type Ranking } from '@bourse/domain/placement'
import type { FastifyInstance } from 'fastify'
import { isoOf } from '../doors/moments.ts'
import { numbersFor } from '../doors/numbers-for.ts'
import type { DurationLimits } from '../doors/read-request.ts'
import type { DecisionRecord } from '../history/history.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { answer } from './answer.ts'
import { BrokerError } from './broker-error.ts'
import { knownCaller } from './caller.ts'
import {
  type Reader,
  summaryOf,
  toEvaluation,
  toRequest,
  toRows,
  toScores,
} from './explanation-reply.ts'
import type { RateLimit } from './rate-limit.ts'
import { createRequestReader } from './reservation-command.ts'
import type { ReservationLookup } from './reservation-lookup.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  lookup: ReservationLookup
  /** The grounds of a decision, as the journal keeps them. */
  decisionOf(reservation: Reservation): Promise<DecisionRecord | undefined>
  /** The full table by replay; undefined beyond --history. */
  explainAt(record: DecisionRecord): Promise<Ranking | undefined>
  rate: RateLimit
  limits: DurationLimits
  currency: string
}>

/**
 * What an explanation is counted as. Not the time it takes: it is worked out on a thread of its
 * own, one at a time, and whoever waits for others should not pay for them.
 */
const EXPLANATION_MS = 20

/** What would happen, and why it happened: both change nothing. */
export function evaluationRoutes(server: FastifyInstance, ports: Ports): void {
  const { writer, rate, limits, currency } = ports
  const toReserveCommand = createRequestReader(limits)

  server.post<{ Body: ReservationRequest }>(
    '/evaluations',
    { schema: { body: validationSchema(ReservationRequest) } },
    async (request, reply) => {
      const caller = knownCaller(request)
      const command = toReserveCommand({ body: request.body, caller })
      const { requester, wanted, pinned, aliases } = command

      return writer.read((view, index) => {
        const startedAt = performance.now()
        const ranking = view.evaluate({ requester, wanted, ...(pinned && { pinned }) })
        const reader = { numbersOf: numbersFor(caller, view), aliases, currency }
        const evaluation = toEvaluation(ranking, reader)
        rate.charge(caller.id, performance.now() - startedAt)
        return answer(reply, index, evaluation)
      })
    },
  )

  server.get<{ Params: { id: string } }>(
    '/reservations/:id/explanation',
    async (request, reply) => {
      const caller = knownCaller(request)
      const { reservation, index } = await ports.lookup.findOwn(request.params.id, caller)
      const record = await ports.decisionOf(reservation)
      if (!record) throw forgotten(reservation)

      const ranking = await ports.explainAt(record)
      rate.charge(caller.id, EXPLANATION_MS)
      const numbersOf = await writer.read((view) => {
        const isVisible = numbersFor(caller, view)
        const ids = ranking?.rows.map(({ clusterId }) => clusterId) ?? []
        const visible = new Set([...ids, ...idsOf(record)].filter(isVisible))
        return (clusterId: string) => visible.has(clusterId)
      })
      const reader = { numbersOf, aliases: reservation.aliases, currency }
      return answer(reply, index, toExplanation(record, ranking, reader))
    },
  )
}

function toExplanation(
  record: DecisionRecord,
  ranking: Ranking | undefined,
  reader: Reader,
): Explanation {
  const { decision } = record
  return {
    reservationID: record.reservationId,
    policy: decision.policy,
    index: record.index,
    decidedAt: isoOf(record.at),
    request: toRequest(record.request, reader),
    summary: ranking ? summaryOf(ranking, reader) : storedSummary(record),
    best: decision.best.map(({ clusterId, score, parts }) => ({
      clusterID: clusterId,
      score: formatScore(score),
      band: bandOf(score),
      ...(reader.numbersOf(clusterId) && { parts: toScores(parts) }),
    })),
    refused: { ...decision.refused },
    ...(ranking ? { rows: toRows(ranking, reader) } : { note: tableGone(record) }),
  }
}

const tableGone = ({ index }: DecisionRecord) =>
  `The journal no longer reaches back to batch ${index}, or the broker's currency has changed since, ` +
  'so that the table of all clusters cannot be worked out: who was chosen, the best five and how ' +
  'many were refused for what is kept.'

/** The journal keeps the best few only, so this cannot say how many fitted. */
function storedSummary({ decision }: DecisionRecord): string {
  const [winner, second] = decision.best
  if (!winner) return 'Nobody was chosen.'
  const score = formatScore(winner.score)
  if (!second)
    return `${winner.clusterId} was the only cluster that fitted, with a score of ${score}.`
  return `${winner.clusterId} came first with ${score}, before ${second.clusterId} with ${formatScore(second.score)}.`
}

function idsOf({ decision }: DecisionRecord): string[] {
  return decision.best.map(({ clusterId }) => clusterId)
}

function forgotten({ id }: Reservation): BrokerError {
  const detail = `The grounds of ${id} are no longer kept: see --history.`
  return new BrokerError('ReservationNotFound', detail)
}
