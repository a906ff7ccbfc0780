import { errorCodes } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type BrokerError, cut } from '../errors/broker-error.ts'
import { createLineLimit } from './line-limit.ts'

/** What the HTTP side writes down: decisions and refusals, a line each; heartbeats none. */
export type HttpLog = ReturnType<typeof createHttpLog>

/** A caller that is throttled is worth a line, not a line for each refused request. */
const THROTTLED = { burst: 1, perSecond: 1 / 10 }
/** Of further ones only the number is told. */
const REFUSED = { burst: 20, perSecond: 1 / 5 }
/** More than an operator does in a day by hand; the journal has all of them. */
const DECIDED = { burst: 1_000, perSecond: 1 }
/** What came from outside is cut: an address may have 16 KB. */
export const OUTSIDE_LENGTH_MAX = 200

export function createHttpLog(logger: Logger) {
  const throttled = createLineLimit(THROTTLED)
  const refused = createLineLimit(REFUSED)
  const decided = createLineLimit(DECIDED)

  function refusal(request: FastifyRequest, problem: BrokerError, cause: Error): void {
    const { status } = errorCodes[problem.code]
    const caller = request.caller?.id ?? ''
    if (problem.code === 'RateLimited') {
      if (throttled(caller) !== undefined) logger.warn(lineOf(request, problem), wordsOf(problem))
      return
    }
    if (isConnectAgain(problem, cause)) {
      logger.debug(lineOf(request, problem), wordsOf(problem))
      return
    }
    const unlogged = refused(caller)
    if (unlogged === undefined) return
    tellOf(unlogged, { caller }, 'more requests were refused')
    const line = lineOf(request, problem)
    if (status === 500) logger.error({ ...line, err: cause }, 'request failed')
    else logger[status > 500 ? 'warn' : 'info'](line, wordsOf(problem))
  }

  /** `by`: the cluster that asked for it. */
  function decision(by: string, what: string, line: Readonly<Record<string, unknown>>): void {
    const unlogged = decided(by)
    if (unlogged === undefined) return
    tellOf(unlogged, { by }, 'more was decided')
    logger.info(line, what)
  }

  function tellOf(unlogged: number, whom: object, message: string): void {
    if (unlogged > 0) logger.info({ ...whom, unlogged }, message)
  }

  return { refusal, decision, logger }
}

function lineOf(request: FastifyRequest, { code }: BrokerError) {
  const { method } = request
  const path = request.routeOptions.url ?? request.originalUrl.slice(0, OUTSIDE_LENGTH_MAX)
  return { caller: request.caller?.id, method, path, status: errorCodes[code].status, code }
}

const wordsOf = ({ message }: BrokerError): string => cut(message, OUTSIDE_LENGTH_MAX)

/**
 * Part of an orderly change of certificates, which is told in one line: hundreds of callers get it
 * at once. A broker that cannot answer has a cause beside the problem, the writer's or explainer's.
 */
function isConnectAgain(problem: BrokerError, cause: Error): boolean {
  return problem.code === 'Unavailable' && cause === problem
}
