import { errorCodes } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createRateLimit, type Rate } from '../../fair-share/index.ts'
import { type BrokerError, cut } from '../errors/broker-error.ts'

/** Logs decisions and refusals, a line each; heartbeats are not logged. */
export type HttpLog = ReturnType<typeof createHttpLog>

/** A caller that is throttled is worth a line, not a line for each refused request. */
const THROTTLED = { burst: 1, perSecond: 1 / 10 }
/** Further refusals are only counted. */
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
 * After a change of certificates hundreds of callers get this at once, and that is one line in all.
 * Where the broker cannot answer, the cause is another error, of the writer or the explainer.
 */
function isConnectAgain(problem: BrokerError, cause: Error): boolean {
  return problem.code === 'Unavailable' && cause === problem
}

/** Callers whose left out lines are counted; above this number, all are forgotten. */
const CALLERS_MAX = 10_000

/** How many lines about one caller there may be: a log has to outlive a flood. */
function createLineLimit(rate: Rate) {
  const { take } = createRateLimit(rate, () => performance.now())
  const unlogged = new Map<string, number>()

  /** How many lines were left out before this one; undefined if this one is, too. */
  return (caller: string): number | undefined => {
    const count = unlogged.get(caller) ?? 0
    if (take(caller) === undefined) {
      unlogged.delete(caller)
      return count
    }
    if (unlogged.size >= CALLERS_MAX) unlogged.clear()
    unlogged.set(caller, count + 1)
    return undefined
  }
}
