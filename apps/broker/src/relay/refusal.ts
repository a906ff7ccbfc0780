import type { RelayedAnswer } from '@bourse/contract/relayed'
import type { BrokerError } from '../http/broker-error.ts'
import { problemOf } from '../http/error-reply.ts'

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
