import { errorCodes } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { BrokerError } from './broker-error.ts'

/** What the HTTP side writes down: decisions and refusals, a line each; heartbeats none. */
export type HttpLog = ReturnType<typeof createHttpLog>

/** A caller that is throttled is worth a line, not a line for each refused request. */
const THROTTLED_LINE_MS = 10_000
const THROTTLED_CALLERS_MAX = 10_000

export function createHttpLog(logger: Logger) {
  const throttledAt = new Map<string, number>()

  function refusal(request: FastifyRequest, problem: BrokerError, cause: Error): void {
    const { status } = errorCodes[problem.code]
    const caller = request.caller?.id
    const { method } = request
    const path = request.routeOptions.url ?? request.originalUrl.slice(0, 200)
    const line = { caller, method, path, status, code: problem.code }
    if (status === 500) logger.error({ ...line, err: cause }, 'request failed')
    else if (problem.code === 'RateLimited') throttled(line, problem.message)
    else if (isConnectAgain(problem, cause)) logger.debug(line, problem.message)
    else if (status >= 500) logger.warn(line, problem.message)
    else logger.info(line, problem.message)
  }

  function throttled(line: { caller: string | undefined }, message: string): void {
    const caller = line.caller ?? ''
    const now = performance.now()
    if (now - (throttledAt.get(caller) ?? Number.NEGATIVE_INFINITY) < THROTTLED_LINE_MS) return
    if (throttledAt.size >= THROTTLED_CALLERS_MAX) throttledAt.clear()
    throttledAt.set(caller, now)
    logger.warn(line, message)
  }

  function decision(what: string, line: Readonly<Record<string, unknown>>): void {
    logger.info(line, what)
  }
  return { refusal, decision, logger }
}

/**
 * Part of an orderly change of certificates, which is told in one line: hundreds of callers get it
 * at once. A broker that cannot answer has a cause beside the problem, the writer's or explainer's.
 */
function isConnectAgain(problem: BrokerError, cause: Error): boolean {
  return problem.code === 'Unavailable' && cause === problem
}
