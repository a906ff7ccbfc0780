import type { RelayedAnswer } from '@bourse/contract/relayed'
import { problemOf } from '../../http/answers/error-reply.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'

/** What the API would have answered, said by a carrier itself. */
export function refusal(why: BrokerError): RelayedAnswer {
  const problem = problemOf(why)
  const { retryAfterSeconds } = why.extras
  return {
    status: problem.status,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify(problem),
  }
}

/** A path, and what the caller has seen. */
const QUESTION_BYTES_MAX = 16 * 1024

/** A question may wait for its answer for a minute, and all that came with it would be kept. */
export function whyTooLong(method: string, bytes: number): BrokerError | undefined {
  if (method !== 'GET' || bytes <= QUESTION_BYTES_MAX) return undefined
  const detail = `A GET has at most ${QUESTION_BYTES_MAX / 1024} KiB here: it needs no body.`
  return new BrokerError('BodyTooLarge', detail)
}
