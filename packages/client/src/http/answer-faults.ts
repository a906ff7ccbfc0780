import type { Problem } from '@bourse/contract'
import { LEADER_HEADER } from '@bourse/contract/headers'
import type { Dispatcher } from 'undici'
import { BrokerBusy, BrokerRefused, IdentityRefused } from '../communicator/errors.ts'

export type BadReply = Readonly<{
  status: number
  headers: Dispatcher.ResponseData['headers']
  text: string
  call: Readonly<{ method: string; path: string }>
}>

const RETRY_AFTER_MAX_S = 3_600
const QUOTED_MAX = 200

/** The fault that an answer other than 2xx means. */
export function faultOfAnswer(reply: BadReply): Error {
  const problem = problemOf(reply.text)
  const message = problem.detail ?? problem.error ?? bare(reply)
  if (reply.status === 429 || reply.status >= 500)
    return new BrokerBusy(message, reply.status, retryHints(reply.headers))
  if (isAboutIdentity(problem.code)) return new IdentityRefused(message)
  if (isUnknownCall(reply, problem))
    return new BrokerRefused(
      `This broker does not know ${reply.call.method} ${reply.call.path.split('?')[0]}; ` +
        'it may be an older version.',
      { status: reply.status, code: 'Unsupported' },
    )
  const { code, fields = [] } = problem
  return new BrokerRefused(message, { status: reply.status, code, fields })
}

/** The Go original answers an unknown route in plain text; ours always has a code. */
function isUnknownCall({ status }: BadReply, problem: Partial<Problem>): boolean {
  if (problem.code === 'RouteNotFound' || problem.code === 'MethodNotAllowed') return true
  return (status === 404 || status === 405) && problem.code === undefined && !problem.error
}

function isAboutIdentity(code: Problem['code'] | undefined): boolean {
  return (
    code === 'InvalidIdentity' || code === 'CertificateRevoked' || code === 'CertificateExpired'
  )
}

/** Ours is problem+json, the Go original's is `{error}`; a proxy's may be anything. */
export function problemOf(text: string): Partial<Problem> {
  if (!text.startsWith('{')) return {}
  // JSON.parse of a truncated answer throws, and the retry names it a bad answer.
  return JSON.parse(text) as Partial<Problem>
}

function bare({ status, text }: BadReply): string {
  const said = text.trim().slice(0, QUOTED_MAX)
  return said === '' ? `The broker answered ${status}.` : `The broker answered ${status}: ${said}`
}

/** When to retry, and at which leader. */
function retryHints(headers: BadReply['headers']) {
  const seconds = Number(headerOf(headers, 'retry-after'))
  const isGiven = Number.isFinite(seconds) && seconds >= 0
  const retryAfterMs = isGiven ? Math.min(seconds, RETRY_AFTER_MAX_S) * 1_000 : undefined
  return { retryAfterMs, leader: headerOf(headers, LEADER_HEADER) }
}

/** The header's value; the first of several. */
export function headerOf(headers: BadReply['headers'], name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}
