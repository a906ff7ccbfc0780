import type { RelayedAnswer } from '@bourse/contract/relayed'
import { problemOf } from '../../http/answers/error-reply.ts'
import type { BrokerError } from '../../http/errors/broker-error.ts'

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
