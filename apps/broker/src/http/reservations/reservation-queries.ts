import type { Cluster, Leg, Reservation } from '@bourse/domain/ledger'
import type { FastifyInstance } from 'fastify'
import type { Watched } from '../../after-commit/change-feed.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import type { History } from '../../store/port/history.ts'
import { answer, querySchema } from '../answers/answer.ts'
import type { LongPolls, WaitQuery } from '../answers/long-polls.ts'
import { answerPage, SHORT_LIST_ROWS } from '../answers/page-text.ts'
import { type Caller, knownCaller } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import {
  createReservationList,
  cursorAfter,
  type ListQuery,
  readListQuery,
} from './reservation-list.ts'
import type { ReservationLookup } from './reservation-lookup.ts'
import { heldOn, toInstruction, toInstructions, toReservation } from './reservation-reply.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  history: Pick<History, 'listEnded'>
  lookup: ReservationLookup
  polls: LongPolls
  noteOf: NoteOf
  charging: Pick<Charging, 'heavy'>
}>

const PARAMETERS = [
  ...['role', 'requesterID', 'providerID', 'phase'],
  ...['limit', 'cursor', 'wait', 'after'],
]

/** Questions about reservations and instructions; with `wait` the answer comes with the change. */
export function reservationQueries(server: FastifyInstance, ports: Ports): void {
  const { writer, lookup, polls, noteOf, charging } = ports
  const list = createReservationList(ports)

  server.get<{ Querystring: ListQuery & WaitQuery }>(
    '/reservations',
    { schema: { querystring: querySchema(...PARAMETERS) } },
    async (request, reply) => {
      const { query } = request
      const caller = knownCaller(request)
      const question = readListQuery(query, caller)
      const { party, role } = question
      const watched: Watched =
        party === undefined ? { kind: 'all' } : { kind: role ?? 'party', clusterId: party }

      await polls.wait({ request, watched, query, response: reply.raw })

      // Short lists, too: a list's length is known only after the search.
      return charging.heavy(request, async (timed) => {
        const { index, items, nextCursor } = await list(question, timed)
        const isTold = items.some((one) => isOnlyProvider(one, caller))
        const own = isTold ? await writer.read((view) => view.cluster(caller.id)) : undefined
        const show = (one: Reservation) => shownTo(caller, one, own)
        const page = { rows: items, show, cursorAfter, nextCursor }
        return timed(() => answerPage(reply, index, page))
      })
    },
  )

  server.get<{ Params: { id: string }; Querystring: WaitQuery }>(
    '/reservations/:id',
    { schema: { querystring: querySchema('wait', 'after') } },
    async (request, reply) => {
      const { id } = request.params
      const caller = knownCaller(request)
      const first = await lookup.find(id, caller)

      await polls.wait({
        request,
        watched: { kind: 'reservation', id, providers: first.reservation.legs.map(providerOf) },
        query: request.query,
        response: reply.raw,
        changedIndex: first.reservation.changedIndex,
      })

      const { index, reservation, own } = request.query.wait ? await lookup.find(id, caller) : first
      return answer(reply, index, shownTo(caller, reservation, own))
    },
  )

  server.get<{ Querystring: WaitQuery }>(
    '/instructions',
    { schema: { querystring: querySchema('wait', 'after') } },
    async (request, reply) => {
      const { id } = knownCaller(request)
      const watched: Watched = { kind: 'provider', clusterId: id }

      await polls.wait({ request, watched, query: request.query, response: reply.raw })

      const { index, held } = await writer.read((view, index) => ({
        index,
        held: heldOn(id, view),
      }))
      const send = () => answer(reply, index, toInstructions(held))
      if (held.reservations.length <= SHORT_LIST_ROWS) return send()
      return charging.heavy(request, (timed) => timed(send))
    },
  )

  /** `own`: what the caller advertises, for the names that a provider uses. */
  function shownTo(caller: Caller, reservation: Reservation, own: Cluster | undefined) {
    return isOnlyProvider(reservation, caller)
      ? toInstruction(reservation, caller.id, own)
      : toReservation(reservation, noteOf)
  }
}

const providerOf = ({ clusterId }: Leg) => clusterId

function isOnlyProvider({ requester }: { requester: string }, { id, isOperator }: Caller): boolean {
  return !isOperator && requester !== id
}
