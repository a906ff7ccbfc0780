import {
  PEERING_ID_PATTERN,
  PeeringOpening,
  PeeringPosting,
  PeeringTroubleInput,
  validationSchema,
} from '@bourse/contract'
import type { Outcome, PeeringSession } from '@bourse/domain/ledger'
import type { FastifyInstance } from 'fastify'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { answer } from '../answers/answer.ts'
import { type HttpLog, OUTSIDE_LENGTH_MAX } from '../answers/http-log.ts'
import { given, signatureOf } from '../callers/actor.ts'
import { knownCaller } from '../callers/caller.ts'
import { BrokerError, cut } from '../errors/broker-error.ts'
import { createFieldCheck, invalidRequest } from '../errors/field-check.ts'
import { unknownPeering } from './peering-queries.ts'
import { toPeering } from './peering-reply.ts'

type Ports = Readonly<{ writer: Pick<LedgerWriter, 'submit'>; log: HttpLog }>
type ById = { Params: { id: string } }

const idForm = new RegExp(PEERING_ID_PATTERN)

/** What two agents tell each other. The broker keeps it, carries it and cannot read it. */
export function peeringRoutes(server: FastifyInstance, { writer, log }: Ports): void {
  server.put<ById & { Body: PeeringOpening }>(
    '/peerings/:id',
    { schema: { body: validationSchema(PeeringOpening) } },
    async (request, reply) => {
      const { id } = request.params
      const { providerID: provider, networking, hello } = request.body
      const { id: requester } = knownCaller(request)
      checkId(id)
      checkText('hello', hello)

      const command = { kind: 'openPeering', id, requester, provider, networking, hello } as const
      const { outcome, index } = await writer.submit(command)

      const { session, changed } = settled(outcome, { id, requester, provider })
      if (changed) logLine(requester, 'peering opened', session)
      return answer(reply.code(changed ? 201 : 200), index, toPeering(session))
    },
  )

  server.post<ById & { Body: PeeringPosting }>(
    '/peerings/:id/messages',
    { schema: { body: validationSchema(PeeringPosting) } },
    async (request, reply) => {
      const { id } = request.params
      const { step, sealed } = request.body
      const { id: from } = knownCaller(request)
      checkText('sealed', sealed)
      const { outcome, index } = await writer.submit({
        kind: 'postPeering',
        id,
        from,
        step,
        sealed,
      })
      if (outcome.kind === 'notYourStep')
        throw new BrokerError('NotYours', `'${step}' may not be posted by the ${outcome.role}.`)
      return answer(reply, index, toPeering(settled(outcome, { id }).session))
    },
  )

  server.post<ById & { Body: PeeringTroubleInput }>(
    '/peerings/:id/trouble',
    { schema: { body: validationSchema(PeeringTroubleInput) } },
    async (request, reply) => {
      const { id } = request.params
      const { reason, message } = request.body
      const { id: from } = knownCaller(request)
      checkText('message', message, 'lines')
      const trouble = { reason, message }
      const command = { kind: 'reportPeeringTrouble', id, from, trouble } as const
      const { outcome, index } = await writer.submit(command)
      const { session, changed } = settled(outcome, { id })
      if (changed) logLine(from, 'peering stuck', session)
      return answer(reply, index, toPeering(session))
    },
  )

  server.delete<ById>('/peerings/:id', async (request, reply) => {
    const { id } = request.params
    const caller = knownCaller(request)
    const from = caller.isOperator ? {} : { from: caller.id }
    const command = { kind: 'closePeering', id, ...from } as const
    const { outcome, index } = await writer.submit(given(command, request))
    logLine(caller.id, 'peering closed', settled(outcome, { id }).session, signatureOf(request))
    return answer(reply.code(204), index, undefined)
  })

  function logLine(by: string, what: string, session: PeeringSession, signature = {}): void {
    const { id, requester, provider, trouble } = session
    log.decision(by, what, { peering: id, requester, provider, ...stuckOn(trouble), ...signature })
  }
}

function stuckOn({ requester, provider }: PeeringSession['trouble']) {
  return {
    ...(requester && { requesterTrouble: wordsOf(requester) }),
    ...(provider && { providerTrouble: wordsOf(provider) }),
  }
}

function wordsOf({ reason, message }: PeeringTroubleInput): string {
  return cut(`${reason}: ${message}`, OUTSIDE_LENGTH_MAX)
}

type Asked = Readonly<{ id: string; requester?: string; provider?: string }>

function settled(outcome: Outcome, { id, requester, provider }: Asked) {
  switch (outcome.kind) {
    case 'peering':
      return outcome
    case 'missing':
      throw unknownPeering(id)
    case 'noReservation':
      throw new BrokerError(
        'NoReservation',
        `${requester} has no live reservation on ${provider}, so there is nothing to peer for.`,
      )
    case 'tooManyPeerings':
      throw new BrokerError('TooManyPeerings', `${requester} has ${outcome.count} sessions.`)
    case 'peeringIdTaken':
      throw new BrokerError('PeeringIdTaken', `${id} is the session of another pair.`)
    default:
      throw new Error(`A peering command cannot end as ${outcome.kind}`)
  }
}

function checkText(path: string, text: string, lines?: 'lines'): void {
  const check = createFieldCheck()
  check.text(path, text, lines)
  check.done()
}

function checkId(id: string): void {
  const message = "must be 'ps-' and 26 random characters of a-z and 2-7"
  if (!idForm.test(id)) throw invalidRequest([{ path: 'id', message }])
}
