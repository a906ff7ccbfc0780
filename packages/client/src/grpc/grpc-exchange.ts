import type { AnswerMessage } from '@bourse/contract/grpc'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import { Code, ConnectError } from '@connectrpc/connect'
import { type BrokerFault, BrokerUnreachable, ClientClosed } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRelayedExchange, relayed, toReply } from '../relayed/relayed-exchange.ts'
import type { createGrpcConnection } from './grpc-connection.ts'

type Ports = Readonly<{
  connection: ReturnType<typeof createGrpcConnection>
  closing: AbortSignal
  /** For what went wrong below gRPC. */
  name(thrown: unknown): BrokerFault
  timeoutMs: number
  now(): number
}>

/** The REST API's calls by gRPC; questions that are followed come as a stream. */
export function createGrpcExchange({ connection, closing, name, ...rest }: Ports): Exchange {
  const { now } = rest
  const exchange = createRelayedExchange({ ...rest, carry })

  return { ...exchange, follow }

  async function carry(call: RelayedCall, options: { timeoutMs: number; signal?: Signal }) {
    const { timeoutMs } = options
    const signal = AbortSignal.any([closing, ...(options.signal ? [options.signal] : [])])
    const client = await connection.client()
    const answer = await client.ask(toMessage(call), { timeoutMs, signal }).then(undefined, refuse)
    return toAnswer(answer)
  }

  async function* follow(call: Parameters<typeof relayed>[0], signal: AbortSignal) {
    const ending = AbortSignal.any([closing, signal])
    const client = await connection.client()
    const answers = client.watch(toMessage(relayed(call)), { signal: ending })
    const messages = answers[Symbol.asyncIterator]()
    for (;;) {
      const next = await messages.next().then(undefined, refuse)
      if (next.done) return
      // It was written the moment that it came: there is no question to count from.
      const at = now()
      yield toReply(toAnswer(next.value), call, { askedAt: at, answeredAt: at })
    }
  }

  function refuse(thrown: unknown): never {
    throw faultOf(thrown)
  }

  function faultOf(thrown: unknown): BrokerFault {
    if (closing.aborted) return new ClientClosed('This client has been closed.')
    const { code } = ConnectError.from(thrown)
    if (code === Code.DeadlineExceeded)
      return new BrokerUnreachable('The broker took the call and did not answer in time.', {
        cause: thrown,
        timedOut: 'headers',
      })
    return name(thrown)
  }
}

type Signal = AbortSignal | undefined

function toMessage({ method, path, body = '' }: RelayedCall) {
  return { method, path, body: new TextEncoder().encode(body) }
}

function toAnswer({ status, headers, body }: AnswerMessage): RelayedAnswer {
  return { status, headers, body: new TextDecoder().decode(body) }
}
