import { type Explanation, ReservationRequest, validationSchema } from '@bourse/contract'
import type { Reservation } from '@bourse/domain/ledger'
import {
  bandOf,
  formatScore,
  type Ranking,
  type Scored,
  whySentence,
} from '@bourse/domain/placement'
import type { FastifyInstance } from 'fastify'
import type { RateLimit } from '../../fair-share/index.ts'
import type { RequestLimits } from '../../intake/read-request.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { isoOf } from '../../presentation/moments.ts'
import { hiddenFor, numbersFor } from '../../presentation/numbers-for.ts'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import type { DecisionRecord } from '../../store/port/history.ts'
import { answer } from '../answers/answer.ts'
import { knownCaller } from '../callers/caller.ts'
import { accountOf, type Charging } from '../callers/charge-requests.ts'
import type { Probe, Probing } from '../callers/probing.ts'
import { BrokerError } from '../errors/broker-error.ts'
import {
  type Reader,
  summaryOf,
  toEvaluation,
  toRequest,
  toRows,
  toScores,
  withChosen,
} from '../explanations/explanation-reply.ts'
import { createRequestReader } from '../reservations/reservation-command.ts'
import type { ReservationLookup } from '../reservations/reservation-lookup.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  lookup: ReservationLookup
  /** The grounds of a decision, as the journal keeps them. */
  decisionOf(reservation: Reservation): Promise<DecisionRecord | undefined>
  /** The full table by replay, with what this reader may see of it; undefined beyond --history. */
  explainAt(record: DecisionRecord, reader?: string): Promise<Ranking | undefined>
  rate: RateLimit
  probing: Probing
  charging: Pick<Charging, 'heavy'>
  limits: RequestLimits
  currency: string
}>

/**
 * A flat charge for an explanation. Explanations run one at a time on their own thread; the elapsed
 * time would charge a caller for those of others.
 */
const EXPLANATION_MS = 20
/**
 * What an evaluation is counted as beside its time in the line: all that goes on around it takes
 * half a millisecond, as the line lets others go first.
 */
const EVALUATION_MS = 1
/** As many as the journal keeps of a decision. */
const BEST_MAX = 5

/** What would happen, and why it happened: both change nothing. */
export function evaluationRoutes(server: FastifyInstance, ports: Ports): void {
  const { writer, rate, probing, charging, limits, currency } = ports
  const toReserveCommand = createRequestReader(limits)

  server.post<{ Body: ReservationRequest }>(
    '/evaluations',
    { schema: { body: validationSchema(ReservationRequest) } },
    async (request, reply) => {
      const caller = knownCaller(request)
      const command = toReserveCommand({ body: request.body, caller })
      const { requester, wanted, pinned, oneNode, aliases } = command
      const probe = { caller: caller.id, target: pinned, wanted }
      if (!caller.isOperator) refuseProbing(probe)
      rate.charge(accountOf(caller), EVALUATION_MS)

      return charging.heavy(request, (timed) =>
        writer.read((view, index) =>
          timed(() => {
            const asked = {
              requester,
              wanted,
              ...(pinned && { pinned }),
              ...(oneNode && { oneNode }),
            }
            const ranking = view.evaluate(asked, hiddenFor(caller, view))
            const reader = { numbersOf: numbersFor(caller, view), aliases, currency }
            if (isProbe(ranking)) probing.asked(probe)
            return answer(reply, index, toEvaluation(ranking, reader))
          }),
        ),
      )
    },
  )

  server.get<{ Params: { id: string } }>(
    '/reservations/:id/explanation',
    async (request, reply) => {
      const caller = knownCaller(request)
      const { reservation, index } = await ports.lookup.findOwn(request.params.id, caller)
      const record = await ports.decisionOf(reservation)
      if (!record) throw forgotten(reservation)

      const reading = caller.isOperator ? undefined : caller.id
      // Charged first: a caller over its rate is refused before any work.
      rate.charge(accountOf(caller), EXPLANATION_MS)
      const ranking = await ports.explainAt(record, reading)
      const numbersOf = await writer.read((view) => {
        const isVisible = numbersFor(caller, view)
        const ids = ranking?.rows.map(({ clusterId }) => clusterId) ?? []
        const best = record.decision.best.map(({ clusterId }) => clusterId)
        const visible = new Set([...ids, ...best].filter(isVisible))
        return (clusterId: string) => visible.has(clusterId)
      })
      // The table has the prices of that time.
      const { aliases, price } = reservation
      const reader = { numbersOf, aliases, currency: price?.currency ?? currency }
      const told = caller.isOperator ? openExplanation : coarseExplanation
      return answer(reply, index, told(record, ranking, reader))
    },
  )

  function refuseProbing(probe: Probe): void {
    const retryAfterSeconds = probing.waitOf(probe)
    if (retryAfterSeconds === undefined) return
    const whom = probe.target ?? 'clusters'
    const detail = `${probe.caller} asks for too many different amounts of ${whom}, whose numbers are hidden.`
    throw new BrokerError('RateLimited', detail, { retryAfterSeconds })
  }
}

/** Whether it tells something of a cluster that hides its numbers. */
function isProbe({ rows, request: { pinned } }: Ranking): boolean {
  return rows.some(
    ({ isCoarse, clusterId }) => isCoarse && (pinned === undefined || clusterId === pinned),
  )
}

type Told = (record: DecisionRecord, ranking: Ranking | undefined, reader: Reader) => Explanation

/** To operators: as it was decided, also where the table is gone. */
const openExplanation: Told = (record, ranking, reader) => ({
  ...headOf(record, reader),
  summary: ranking ? summaryOf(ranking, reader) : storedSummary(record),
  best: record.decision.best.map(toBest),
  refused: { ...record.decision.refused },
  ...(ranking ? { rows: toRows(ranking, reader) } : { note: tableGone(record) }),
})

/**
 * What other readers get: the chosen cluster, which was decided on exact amounts, and coarse
 * amounts for clusters that hide their numbers. The summary in the journal is exact, so it is left
 * out.
 */
const coarseExplanation: Told = (record, ranking, reader) => {
  const [chosen] = record.decision.best
  if (!ranking)
    return {
      ...headOf(record, reader),
      summary: chosen ? `${chosen.clusterId} was chosen.` : NONE_CHOSEN,
      best: chosen ? [{ clusterID: chosen.clusterId }] : [],
      note: tableGone(record),
    }
  const table = chosen ? withChosen(ranking, chosen.clusterId) : ranking
  const best = table.rows.filter(({ verdict }) => verdict !== 'refused').slice(0, BEST_MAX)
  return {
    ...headOf(record, reader),
    summary: summaryOf(table, reader),
    best: toRows({ ...table, rows: best }, reader).map(({ clusterID, score, band, parts }) => ({
      clusterID,
      ...(score !== undefined && { score }),
      ...(band && { band }),
      ...(parts && { parts }),
    })),
    refused: refusedCounts(table),
    rows: toRows(table, reader),
  }
}

const NONE_CHOSEN = 'No cluster was chosen.'

function headOf(record: DecisionRecord, reader: Reader) {
  return {
    reservationID: record.reservationId,
    policy: record.decision.policy,
    index: record.index,
    decidedAt: isoOf(record.at),
    request: toRequest(record.request, reader),
  }
}

function toBest({ clusterId, score, parts }: Scored): Explanation['best'][number] {
  return {
    clusterID: clusterId,
    score: formatScore(score),
    band: bandOf(score),
    parts: toScores(parts),
  }
}

const tableGone = ({ index }: DecisionRecord) =>
  `The journal no longer reaches back to batch ${index}, or the broker's currency has changed since, ` +
  'so the table of all clusters cannot be recomputed: the chosen cluster, the best five and how ' +
  'many were refused for which reason are kept.'

/** The journal keeps the best few only, so this cannot say how many fitted. */
function storedSummary({ decision }: DecisionRecord): string {
  const [chosen, second] = decision.best
  if (!chosen) return NONE_CHOSEN
  const place = second ? 'came first' : 'was the only cluster that fitted'
  const best = decision.best.map((scored) => ({ scored }))
  return `${chosen.clusterId} ${place}, with a score of ${whySentence(decision.policy, best)}.`
}

function forgotten({ id }: Reservation): BrokerError {
  const detail = `The explanation of ${id} is no longer kept: see --history.`
  return new BrokerError('ReservationNotFound', detail)
}
