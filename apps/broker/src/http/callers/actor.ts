import { printable, REASON_HEADER, REASON_LENGTH_MAX } from '@bourse/contract'
import { type Actor, actorText, type Command } from '@bourse/domain/ledger'
import type { FastifyRequest } from 'fastify'
import { createFieldCheck } from '../errors/field-check.ts'
import { DOOR, knownCaller } from './caller.ts'

const NAME = REASON_HEADER.toLowerCase()
/** What a UTF-8 decoder puts in the place of other bytes. */
const UNDECODED = '\ufffd'

/** The command with its actor. A cluster that acts for itself is not named. */
export function given<Given extends Command>(command: Given, request: FastifyRequest): Given {
  const by = actorOf(request)
  return by ? { ...command, by } : command
}

/** The same for a line of the log. */
export function signatureOf(request: FastifyRequest) {
  const actor = actorOf(request)
  if (!actor) return {}
  const { why } = actor
  return { by: actorText(actor), ...(why !== undefined && { why }) }
}

function actorOf(request: FastifyRequest): Actor | undefined {
  const { id, isOperator, door = DOOR } = knownCaller(request)
  const why = reasonIn(request)
  if (!isOperator && why === undefined) return undefined
  const kind = isOperator ? 'operator' : 'cluster'
  return { kind, id: printable(id), door, ...(why !== undefined && { why }) }
}

function reasonIn({ headers }: FastifyRequest): string | undefined {
  const written = headers[NAME]
  if (!written) return undefined
  const check = createFieldCheck()
  const reason = decoded(String(written))
  check.text(REASON_HEADER, reason)
  if (reason.length > REASON_LENGTH_MAX)
    check.add(REASON_HEADER, `is longer than ${REASON_LENGTH_MAX} characters`)
  check.done()
  return reason
}

/** Node reads headers as Latin-1; nearly all clients send UTF-8. */
function decoded(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes(UNDECODED) ? header : text
}
