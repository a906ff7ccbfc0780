import type { LedgerView, PeeringSession } from '@bourse/domain/ledger'
import type { FastifyInstance } from 'fastify'
import type { Watched } from '../../after-commit/change-feed.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { answer } from '../answers/answer.ts'
import type { LongPolls, WaitQuery } from '../answers/long-polls.ts'
import { type PageQuery, pageById, readChoice, readPlace } from '../answers/page.ts'
import { answerPage, type PageRows, SHORT_LIST_ROWS } from '../answers/page-text.ts'
import { type Caller, knownCaller } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck } from '../errors/field-check.ts'
import { toPeering, toPeeringSummary } from './peering-reply.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  polls: Pick<LongPolls, 'wait'>
  charging: Pick<Charging, 'heavy'>
}>
type ListQuery = PageQuery & Readonly<{ role?: string; requesterID?: string; providerID?: string }>
const ROLES = ['requester', 'provider', 'party'] as const
type Question = Readonly<{
  /** Undefined: the sessions of all clusters. */
  party: string | undefined
  role: (typeof ROLES)[number]
  /** Empty: any. */
  requester: string
  provider: string
  limit: number
  after: string
}>

/** A session may be over 100 KiB: an answer stays within what a carrier takes. */
const PAGE_MAX = 100

/** Peering sessions, shown to their two clusters and to operators only. */
export function peeringQueries(server: FastifyInstance, ports: Ports): void {
  const { writer, polls, charging } = ports

  server.get<{ Querystring: ListQuery & WaitQuery }>('/peerings', async (request, reply) => {
    const { query } = request
    const caller = knownCaller(request)
    const question = readQuery(query, caller)
    const watched: Watched =
      question.party === undefined ? { kind: 'peers' } : { kind: 'peer', clusterId: question.party }

    await polls.wait({ request, watched, query, response: reply.raw })

    const { index, page } = await writer.read((view, index) => ({
      index,
      page: pageOf(view, question, caller),
    }))
    const send = () => answerPage(reply, index, page)
    // A session is as long as many rows of another list.
    if (page.rows.length <= SHORT_LIST_ROWS / 10) return send()
    return charging.heavy(request, (timed) => timed(send))
  })

  server.get<{ Params: { id: string } }>('/peerings/:id', async (request, reply) => {
    const { id } = request.params
    const caller = knownCaller(request)
    return writer.read((view, index) => {
      const session = view.peering(id)
      if (!session || !(caller.isOperator || isParty(session, caller.id))) throw unknownPeering(id)
      return answer(reply, index, toPeering(session))
    })
  })
}

export function unknownPeering(id: string): BrokerError {
  return new BrokerError('PeeringNotFound', `There is no peering session ${id.slice(0, 64)}.`)
}

function pageOf(view: LedgerView, question: Question, caller: Caller): PageRows<PeeringSession> {
  const { party } = question
  const all = party === undefined ? view.peerings() : view.peeringsOf(party)
  const asked = [...all].filter((one) => isAskedFor(one, question))
  const show = (one: PeeringSession) =>
    isParty(one, caller.id) ? toPeering(one) : toPeeringSummary(one)
  return { ...pageById(asked, question, ({ id }) => id), show }
}

function isAskedFor({ requester, provider }: PeeringSession, question: Question): boolean {
  const { party, role } = question
  if (question.requester !== '' && question.requester !== requester) return false
  if (question.provider !== '' && question.provider !== provider) return false
  if (party === undefined || role === 'party') return true
  return (role === 'requester' ? requester : provider) === party
}

function isParty({ requester, provider }: PeeringSession, clusterId: string): boolean {
  return requester === clusterId || provider === clusterId
}

function readQuery(query: ListQuery, { id, isOperator }: Caller): Question {
  const check = createFieldCheck()
  const role = readChoice('role', query.role, { choices: ROLES, check })
  const { limit, after } = readPlace(query, check)
  check.done()
  // An operator that names no role gets the sessions of all clusters.
  const party = isOperator && !role ? undefined : id
  const { requesterID: requester = '', providerID: provider = '' } = query
  return {
    party,
    role: role ?? 'party',
    requester,
    provider,
    limit: Math.min(limit, PAGE_MAX),
    after,
  }
}
