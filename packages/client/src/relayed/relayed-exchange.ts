import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import { BrokerRefused } from '../communicator/errors.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import { faultOfAnswer } from '../http/answer-faults.ts'
import { type Call, type Exchange, queryOf, type Reply, readReply } from '../http/exchange.ts'

/** One call by whatever carries it. Rejects with a fault that callers know. */
export type Carry = (
  call: RelayedCall,
  options: Readonly<{ timeoutMs: number; signal?: AbortSignal | undefined }>,
) => Promise<RelayedAnswer>

type Ports = Readonly<{ carry: Carry; timeoutMs: number; seen: SeenProofs; now(): number }>

/** The REST API's calls on another carrier: all that is said about them is the same. */
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
      throw new BrokerRefused(`${method} ${path} has no end: use the REST API.`, {
        status: 404,
        code: 'Unsupported',
      })
    },
    // Whoever has such a door is of our make.
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

/** Whoever says that it does not lead is no answer: another one may. */
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
