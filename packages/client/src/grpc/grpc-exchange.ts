import type { AnswerMessage } from '@bourse/contract/grpc'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import { Code, ConnectError } from '@connectrpc/connect'
import {
  type BrokerFault,
  BrokerUnreachable,
  ClientClosed,
  isBrokerFault,
} from '../communicator/errors.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import { askInTurn } from '../http/ask-in-turn.ts'
import type { BrokerAddresses } from '../http/broker-addresses.ts'
import type { Call, Exchange } from '../http/exchange.ts'
import type { NameFault } from '../http/name-fault.ts'
import { createRelayedExchange, fromLeader, relayed, toReply } from '../relayed/relayed-exchange.ts'
import type { createGrpcConnections } from './grpc-connection.ts'

type Ports = Readonly<{
  brokers: BrokerAddresses
  connections: ReturnType<typeof createGrpcConnections>
  closing: AbortSignal
  /** Names faults below gRPC. */
  name: NameFault
  timeoutMs: number
  seen: SeenProofs
  now(): number
}>

/** The calls of the REST API over gRPC; watches are streams. */
export function createGrpcExchange(ports: Ports): Exchange {
  const { brokers, connections, closing, seen, now } = ports
  const exchange = createRelayedExchange({ ...ports, carry })
  // A standby names the leader's REST address, which is not a gRPC address.
  const listed = { ...brokers, next: (asked: ReadonlySet<string>) => brokers.next(asked) }
  const turns = { brokers: listed, name: nameFault }

  return { ...exchange, follow }

  async function carry(call: RelayedCall, options: { timeoutMs: number; signal?: Signal }) {
    const { timeoutMs } = options
    const signal = AbortSignal.any([closing, ...(options.signal ? [options.signal] : [])])
    const reached = await askInTurn({ ...turns, signal }, async ({ origin }) => {
      const client = await connections.client(origin)
      return fromLeader(toAnswer(await client.ask(toMessage(call), { timeoutMs, signal })), call)
    })
    return reached.answer
  }

  async function* follow(call: Call, signal: AbortSignal) {
    const ending = AbortSignal.any([closing, signal])
    const asked = relayed(call, seen.text())
    const { origin, answer } = await askInTurn({ ...turns, signal: ending }, async (address) => {
      const client = await connections.client(address.origin)
      const messages = client.watch(toMessage(asked), { signal: ending })[Symbol.asyncIterator]()
      const first = await messages.next()
      return { messages, told: first.done ? undefined : fromLeader(toAnswer(first.value), asked) }
    })
    for (let { told } = answer; told; ) {
      // A pushed answer was written when it arrived.
      const at = now()
      const reply = toReply(told, call, { askedAt: at, answeredAt: at })
      seen.heard(reply.stamp)
      yield reply
      const next = await answer.messages.next().catch((thrown) => {
        throw nameFault(origin, thrown)
      })
      told = next.done ? undefined : toAnswer(next.value)
    }
  }

  function nameFault(origin: string, thrown: unknown): BrokerFault {
    if (isBrokerFault(thrown)) return thrown
    if (closing.aborted) return new ClientClosed()
    const { code } = ConnectError.from(thrown)
    if (code === Code.DeadlineExceeded)
      return new BrokerUnreachable('The broker accepted the call but did not answer in time.', {
        cause: thrown,
        timedOut: 'headers',
      })
    return ports.name(origin, thrown)
  }
}

type Signal = AbortSignal | undefined

function toMessage({ method, path, body = '', seen = '' }: RelayedCall) {
  return { method, path, seen, body: new TextEncoder().encode(body) }
}

function toAnswer({ status, headers, body }: AnswerMessage): RelayedAnswer {
  return { status, headers, body: new TextDecoder().decode(body) }
}
