import { errorCodes } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { BrokerError } from './broker-error.ts'

/** What the HTTP side writes down: decisions and refusals, a line each; heartbeats none. */
export type HttpLog = ReturnType<typeof createHttpLog>

/** A caller that is throttled is worth a line, not a line for each refused request. */
const THROTTLED_LINE_MS = 10_000
/** Lines about refusals to one caller in that time; of the others only the number is told. */
const REFUSAL_LINES_MAX = 20
const CALLERS_MAX = 10_000
/** What came from outside is cut: an address may have 16 KB. */
const OUTSIDE_LENGTH_MAX = 200

export function createHttpLog(logger: Logger) {
  const throttledAt = new Map<string, number>()
  const refusals = new Map<string, { since: number; lines: number; unlogged: number }>()

  function refusal(request: FastifyRequest, problem: BrokerError, cause: Error): void {
    const { status } = errorCodes[problem.code]
    const caller = request.caller?.id
    const { method } = request
    const path = request.routeOptions.url ?? request.originalUrl.slice(0, OUTSIDE_LENGTH_MAX)
    const line = { caller, method, path, status, code: problem.code }
    const message = cut(problem.message)
    if (status === 500) logger.error({ ...line, err: cause }, 'request failed')
    else if (problem.code === 'RateLimited') throttled(line, message)
    else if (isConnectAgain(problem, cause)) logger.debug(line, message)
    else if (status >= 500) logger.warn(line, message)
    else refused(line, message)
  }

  function throttled(line: { caller: string | undefined }, message: string): void {
    const caller = line.caller ?? ''
    const now = performance.now()
    if (now - (throttledAt.get(caller) ?? Number.NEGATIVE_INFINITY) < THROTTLED_LINE_MS) return
    if (throttledAt.size >= CALLERS_MAX) throttledAt.clear()
    throttledAt.set(caller, now)
    logger.warn(line, message)
  }

  function refused(line: { caller: string | undefined }, message: string): void {
    const caller = line.caller ?? ''
    const now = performance.now()
    let told = refusals.get(caller)
    if (!told || now - told.since >= THROTTLED_LINE_MS) {
      if (refusals.size >= CALLERS_MAX) refusals.clear()
      const unlogged = told?.unlogged ?? 0
      if (unlogged > 0) logger.info({ caller, unlogged }, 'more requests were refused')
      told = { since: now, lines: 0, unlogged: 0 }
      refusals.set(caller, told)
    }
    if (told.lines < REFUSAL_LINES_MAX) logger.info(line, message)
    else told.unlogged += 1
    told.lines += 1
  }

  function decision(what: string, line: Readonly<Record<string, unknown>>): void {
    logger.info(line, what)
  }
  return { refusal, decision, logger }
}

function cut(text: string): string {
  return text.length > OUTSIDE_LENGTH_MAX ? `${text.slice(0, OUTSIDE_LENGTH_MAX)}…` : text
}

/**
 * Part of an orderly change of certificates, which is told in one line: hundreds of callers get it
 * at once. A broker that cannot answer has a cause beside the problem, the writer's or explainer's.
 */
function isConnectAgain(problem: BrokerError, cause: Error): boolean {
  return problem.code === 'Unavailable' && cause === problem
}
