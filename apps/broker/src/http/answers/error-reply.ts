import {
  API_BASE,
  type ErrorCode,
  endpoints,
  errorCodes,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemType,
} from '@bourse/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { secondsUntilAgain } from '../../presentation/try-again.ts'
import { BODY_TOO_LARGE } from '../callers/charge-requests.ts'
import { BrokerError, cut } from '../errors/broker-error.ts'
import { invalidRequest } from '../errors/field-check.ts'
import { PARAM_LENGTH_MAX } from '../requests/http-limits.ts'
import { whyUnroutable } from '../requests/unroutable.ts'
import { fieldsOf, type Violation } from '../requests/validation-fields.ts'
import type { HttpLog } from './http-log.ts'

/** Long enough for every path that there is: an unknown one may have 16 KB. */
const TOLD_PATH_LENGTH_MAX = 256

/** The one place where the HTTP side catches: everything thrown becomes a problem+json here. */
export function answerErrors(server: FastifyInstance, log: HttpLog): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toBrokerError(error)
    log.refusal(request, known, error)
    // The rest of the body is read and dropped instead, so that its sender gets the answer.
    if (known.code === 'BodyTooLarge') reply.removeHeader('connection')
    return sendProblem(reply, known)
  })
  server.setNotFoundHandler(refuseUnknown)
}

/**
 * Runs before a body is read: fastify would complain about the body of some methods first. Runs
 * after authentication: a caller that is not admitted learns nothing about routes.
 */
export function refuseUnknownRoutes(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuseUnknown(request, reply)
    done()
  })
}

function refuseUnknown(request: FastifyRequest, reply: FastifyReply): never {
  const reason = whyUnroutable(request)
  if (reason) throw reason
  const allowed = methodsAt(request)
  if (allowed.length === 0)
    throw new BrokerError(
      'RouteNotFound',
      `There is nothing at ${cut(pathOf(request), TOLD_PATH_LENGTH_MAX)}.`,
    )
  reply.header('allow', allowed.join(', '))
  throw new BrokerError('MethodNotAllowed', `${pathOf(request)} takes ${allowed.join(', ')}.`)
}

function sendProblem(reply: FastifyReply, error: BrokerError): FastifyReply {
  const { retryAfterSeconds } = error.extras
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return (
    reply
      .code(errorCodes[error.code].status)
      .header('content-type', PROBLEM_MEDIA_TYPE)
      // As bytes: to a string fastify would add a charset, which this media type does not have.
      .send(Buffer.from(JSON.stringify(problemOf(error))))
  )
}

export function problemOf({ code, message, extras }: BrokerError): Problem {
  const { status, title } = errorCodes[code]
  const { fields, explanation } = extras
  return {
    type: problemType(code),
    title,
    status,
    detail: message,
    code,
    error: message,
    ...(fields && { fields: [...fields] }),
    ...(explanation && { explanation }),
  }
}

type Wording = Readonly<{ code: ErrorCode; detail?: string }>

const fastifyErrors: Readonly<Record<string, Wording>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'BodyTooLarge', detail: BODY_TOO_LARGE },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UnsupportedMediaType',
    detail: 'The body is not JSON: send Content-Type: application/json.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'InvalidRequest' },
  FST_ERR_BAD_URL: {
    code: 'RouteNotFound',
    detail: 'The address has an invalid percent-encoding: write a % itself as %25.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'RouteNotFound',
    detail: `A part of the address is longer than ${PARAM_LENGTH_MAX} characters.`,
  },
}

function toBrokerError(error: FastifyError): BrokerError {
  if (error instanceof BrokerError) return error
  const retryAfterSeconds = secondsUntilAgain(error)
  if (retryAfterSeconds !== undefined)
    return new BrokerError('Unavailable', error.message, { retryAfterSeconds })
  // Fastify types its validator's findings loosely; they are ajv's.
  if (error.validation) return invalidRequest(fieldsOf(error.validation as Violation[]))
  if (error instanceof SyntaxError) return new BrokerError('MalformedJson', error.message)
  if (error.code === 'ECONNRESET')
    return new BrokerError(
      'RequestTimeout',
      'The caller disconnected before its request was received.',
    )
  const known = fastifyErrors[error.code]
  if (!known) return new BrokerError('InternalError')
  return new BrokerError(known.code, known.detail ?? error.message)
}

const routes = [
  { method: 'GET', pattern: /^\/healthz$/ },
  ...endpoints.map(({ method, path }) => ({
    method: method.toUpperCase(),
    pattern: new RegExp(`^${API_BASE}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
]

function methodsAt(request: FastifyRequest): string[] {
  // The router has decoded it before, so this does not throw; an encoded slash stays encoded.
  const path = decodeURI(pathOf(request))
  return routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
