import {
  API_BASE,
  BODY_BYTES_MAX,
  type ErrorCode,
  endpoints,
  errorCodes,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  problemType,
} from '@bourse/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { secondsUntilAgain } from '../doors/try-again.ts'
import { BrokerError } from './broker-error.ts'
import { invalidRequest } from './field-check.ts'
import { PARAM_LENGTH_MAX } from './http-limits.ts'
import type { HttpLog } from './http-log.ts'
import { whyUnroutable } from './unroutable.ts'
import { fieldsOf, type Violation } from './validation-fields.ts'

/** The one place where the HTTP side catches: everything thrown becomes a problem+json here. */
export function answerErrors(server: FastifyInstance, log: HttpLog): void {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const known = isOfNoRoute(error) ? nothingThere(request, reply) : toBrokerError(error)
    log.refusal(request, known, error)
    if (known.code === 'BodyTooLarge') swallowTheRest(request, reply)
    return sendProblem(reply, known)
  })
  server.setNotFoundHandler((request, reply) => {
    const reason = whyUnroutable(request)
    throw reason ?? nothingThere(request, reply)
  })
}

/** Fastify looks at the headers of a QUERY before it knows that no route takes one. */
const isOfNoRoute = ({ code }: FastifyError) => code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'

function nothingThere(request: FastifyRequest, reply: FastifyReply): BrokerError {
  const allowed = methodsAt(request)
  if (allowed.length === 0)
    return new BrokerError('RouteNotFound', `There is nothing at ${pathOf(request)}.`)
  reply.header('allow', allowed.join(', '))
  return new BrokerError('MethodNotAllowed', `${pathOf(request)} takes ${allowed.join(', ')}.`)
}

/**
 * Closing on a caller that is still sending resets the connection, and the answer is lost with it.
 * So the rest is read and dropped, as long as REQUEST_TIMEOUT_MS allows.
 */
function swallowTheRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  request.raw.resume()
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
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'BodyTooLarge',
    detail: `The body is larger than ${BODY_BYTES_MAX / 1024} KiB.`,
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UnsupportedMediaType',
    detail: 'The body is not JSON: send Content-Type: application/json.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'InvalidRequest' },
  FST_ERR_BAD_URL: {
    code: 'RouteNotFound',
    detail: 'The address has a % that begins no character: a % itself is written %25.',
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
    return new BrokerError('RequestTimeout', 'The caller went away before its request was here.')
  const known = fastifyErrors[error.code]
  if (!known) return new BrokerError('InternalError')
  return new BrokerError(known.code, known.detail ?? error.message)
}

const routes = endpoints.map(({ method, path }) => ({
  method: method.toUpperCase(),
  pattern: new RegExp(`^${API_BASE}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

function methodsAt(request: FastifyRequest): string[] {
  const path = pathOf(request)
  return routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
