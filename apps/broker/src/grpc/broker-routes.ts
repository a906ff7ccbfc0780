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
import type { Identify, OpenCalls } from './open-calls.ts'

type Answer = MessageInitShape<typeof brokerService.method.ask.output>

const key = createContextKey<() => Caller>(() => {
  throw new BrokerError('InvalidIdentity')
})

/** How a handler finds out who calls: with each answer, as certificates are revoked any moment. */
export function callerBy(identify: () => Caller): ContextValues {
  return createContextValues().set(key, identify)
}

/** The two methods of the service, both a question to the relay. */
export function brokerRoutes(relay: Pick<Relay, 'ask' | 'watch'>, calls: OpenCalls) {
  return (router: ConnectRouter): void => {
    router.service(brokerService, {
      async ask(call: CallMessage, context: HandlerContext): Promise<Answer> {
        const identify = identifyBy(context)
        const caller = await identify()
        if (caller instanceof BrokerError) return refusal(caller)
        const asked = relay.ask(caller, toCall(call), context.signal)
        // Only a question is refused afterwards: what was done must not look as if it was not.
        if (call.method !== 'GET') return toMessage(await asked)
        const answer = await calls.unlessShutOut(identify, asked)
        return answer instanceof BrokerError ? refusal(answer) : toMessage(answer)
      },
      async *watch(call: CallMessage, context: HandlerContext): AsyncGenerator<Answer> {
        const identify = identifyBy(context)
        const caller = await identify()
        if (caller instanceof BrokerError) return void (yield refusal(caller))
        const answers = relay.watch(caller, toCall(call), context.signal)
        for (;;) {
          const next = await calls.unlessShutOut(identify, answers.next())
          if (next instanceof BrokerError) return void (yield refusal(next))
          if (next.done) return
          yield toMessage(next.value)
        }
      },
    })
  }
}

/** Being nobody is an answer, too; anything else is a fault of ours. */
function identifyBy({ values }: HandlerContext): Identify {
  return () =>
    Promise.resolve()
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

function toCall({ method, path, body, seen }: CallMessage): RelayedCall {
  const text = Buffer.from(body).toString('utf8')
  return {
    // Another method is refused by the relay, in words.
    method: method as RelayedCall['method'],
    path,
    ...(text !== '' && { body: text }),
    ...(seen !== '' && { seen }),
  }
}

function toMessage({ status, headers, body }: RelayedAnswer): AnswerMessage {
  const { output } = brokerService.method.ask
  return create(output, { status, headers: { ...headers }, body: Buffer.from(body) })
}
