import { type AnswerMessage, brokerService, type CallMessage } from '@bourse/contract/grpc'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type ConnectRouter,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import { BrokerError } from '../http/broker-error.ts'
import type { Caller } from '../http/caller.ts'
import { problemOf } from '../http/error-reply.ts'
import type { Relay } from '../relay/create-relay.ts'

type Identify = () => Caller
type Answer = MessageInitShape<typeof brokerService.method.ask.output>

const key = createContextKey<Identify>(() => {
  throw new BrokerError('InvalidIdentity')
})

/** How a handler finds out who calls: with each call, as certificates are revoked any moment. */
export function callerBy(identify: Identify): ContextValues {
  return createContextValues().set(key, identify)
}

/** The two methods of the service, both a question to the relay. */
export function brokerRoutes(relay: Pick<Relay, 'ask' | 'watch'>) {
  return (router: ConnectRouter): void => {
    router.service(brokerService, {
      async ask(call: CallMessage, context: HandlerContext): Promise<Answer> {
        const caller = await callerOf(context)
        if (caller instanceof BrokerError) return refusal(caller)
        return toMessage(await relay.ask(caller, toCall(call), context.signal))
      },
      async *watch(call: CallMessage, context: HandlerContext): AsyncGenerator<Answer> {
        const caller = await callerOf(context)
        if (caller instanceof BrokerError) return void (yield refusal(caller))
        for await (const answer of relay.watch(caller, toCall(call), context.signal))
          yield toMessage(answer)
      },
    })
  }
}

/** Being nobody is an answer, too; anything else is a fault of ours. */
function callerOf({ values }: HandlerContext): Promise<Caller | BrokerError> {
  return Promise.resolve()
    .then(values.get(key))
    .then(undefined, (thrown) => {
      if (thrown instanceof BrokerError) return thrown
      throw thrown
    })
}

function refusal(why: BrokerError): Answer {
  const problem = problemOf(why)
  const { retryAfterSeconds } = why.extras
  return toMessage({
    status: problem.status,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify(problem),
  })
}

function toCall({ method, path, body }: CallMessage): RelayedCall {
  const text = Buffer.from(body).toString('utf8')
  // Another method is refused by the relay, in words.
  return { method: method as RelayedCall['method'], path, ...(text !== '' && { body: text }) }
}

function toMessage({ status, headers, body }: RelayedAnswer): AnswerMessage {
  const { output } = brokerService.method.ask
  return create(output, { status, headers: { ...headers }, body: Buffer.from(body) })
}
