import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import { BrokerRefused } from '../communicator/errors.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import { faultOfAnswer } from '../http/answer-faults.ts'
import { type Call, type Exchange, queryOf, type Reply, readReply } from '../http/exchange.ts'

/** Sends one call by some carrier. Rejects with a `BrokerFault`. */
export type Carry = (
  call: RelayedCall,
  options: Readonly<{ timeoutMs: number; signal?: AbortSignal | undefined }>,
) => Promise<RelayedAnswer>

type Ports = Readonly<{ carry: Carry; timeoutMs: number; seen: SeenProofs; now(): number }>

/** The calls of the REST API on another carrier. */
export function createRelayedExchange({ carry, timeoutMs, seen, now }: Ports): Exchange {
  return {
    async send(call) {
      const askedAt = now()
      const { signal, waitMs = 0 } = call
      const asked = relayed(call, seen.text())
      const answer = await carry(asked, { timeoutMs: timeoutMs + waitMs, signal })
      const reply = toReply(answer, call, { askedAt, answeredAt: now() })
      seen.heard(reply.stamp)
      return reply
    },
    open: async ({ method, path }) => {
      throw new BrokerRefused(`${method} ${path} is a stream: use the REST API.`, {
        status: 404,
        code: 'Unsupported',
      })
    },
    // The Go original has no such carrier.
    knowsRequestIds: () => true,
  }
}

export function relayed({ method, path, query, body }: Call, seen?: string): RelayedCall {
  return {
    method,
    path: `${path}${queryOf(query)}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(seen !== undefined && { seen }),
  }
}

/** Throws for a broker that does not lead, so that the next one is asked. */
export function fromLeader(answer: RelayedAnswer, call: RelayedCall): RelayedAnswer {
  const { status, headers, body: text } = answer
  if (status === 503) throw faultOfAnswer({ status, headers: { ...headers }, text, call })
  return answer
}

type Moments = Readonly<{ askedAt: number; answeredAt: number }>

export function toReply(answer: RelayedAnswer, call: Call, moments: Moments): Reply {
  const { status, headers, body: text } = answer
  return readReply({ status, headers: { ...headers }, text }, call, moments)
}
