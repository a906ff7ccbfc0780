import type { CallMessage } from '@bourse/contract/grpc'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import type { Caller } from '../../http/callers/caller.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import type { IdentifyCaller, Relay } from '../relay/create-relay.ts'
import { refusal, whyTooLong } from '../relay/refusal.ts'
import type { Identify, OpenCalls } from './open-calls.ts'

type Ports = Readonly<{
  relay: Pick<Relay, 'ask' | 'watch'>
  calls: OpenCalls
  limits: CarrierLimits
}>

/** What a method needs to know of the stream that it answers. */
export type CallStream = Readonly<{
  /** Of the whole message. */
  bytes: number
  /** With each answer, as certificates are revoked any moment. */
  identify: IdentifyCaller
  /** Once the other side has the whole answer, or has gone. */
  whenOver(listener: () => void): void
}>
export type Method = (call: CallMessage, stream: CallStream) => AsyncGenerator<RelayedAnswer>

/** The two methods of the service, both a question to the relay. */
export function brokerRoutes({ relay, calls, limits }: Ports) {
  return { ask, watch }

  async function* ask(call: CallMessage, { bytes, identify, whenOver }: CallStream) {
    const caller = await known(identify)()
    if (caller instanceof BrokerError) return void (yield refusal(caller))
    const tooMany = whyTooLong(call.method, bytes) ?? limits.take('calls', caller.id)
    if (tooMany) return void (yield refusal(tooMany))
    whenOver(() => limits.giveBack('calls', caller.id))
    const ending = new AbortController()
    let isAnswered = false
    whenOver(() => isAnswered || ending.abort())
    const asked = relay.ask(identify, toCall(call), ending.signal)
    // Only a question is refused afterwards: what was done must not look as if it was not.
    const isQuestion = call.method === 'GET'
    const answer = await (isQuestion ? calls.unlessShutOut(known(identify), asked) : asked)
    isAnswered = true
    if (answer instanceof BrokerError) return void (yield refusal(answer))
    const unread = createUnread(caller, whenOver)
    const tooMuch = isQuestion ? unread.add(answer) : undefined
    yield tooMuch ? refusal(tooMuch) : answer
  }

  async function* watch(call: CallMessage, { bytes, identify, whenOver }: CallStream) {
    const caller = await known(identify)()
    if (caller instanceof BrokerError) return void (yield refusal(caller))
    const tooMany = whyTooLong(call.method, bytes) ?? limits.take('watches', caller.id)
    if (tooMany) return void (yield refusal(tooMany))
    whenOver(() => limits.giveBack('watches', caller.id))
    const ending = new AbortController()
    whenOver(() => ending.abort())
    const unread = createUnread(caller, whenOver)
    const answers = relay.watch(identify, toCall(call), ending.signal)
    try {
      while (!ending.signal.aborted) {
        const next = await calls.unlessShutOut(known(identify), answers.next())
        if (next instanceof BrokerError) return void (yield refusal(next))
        if (next.done) return
        const tooMuch = unread.add(next.value)
        if (tooMuch) return void (yield refusal(tooMuch))
        // Goes on when there is room for more on the way to the other side.
        yield next.value
        unread.forget()
      }
    } finally {
      ending.abort()
    }
  }

  /** Counts what a stream has been given to carry until it is carried. */
  function createUnread({ id }: Caller, whenOver: CallStream['whenOver']) {
    let held = 0
    let isOver = false
    whenOver(() => {
      isOver = true
      forget()
    })
    return { add, forget }

    function add({ body }: RelayedAnswer): BrokerError | undefined {
      const tooMuch = isOver ? undefined : limits.take('bytes', id, body.length)
      if (!isOver && !tooMuch) held += body.length
      return tooMuch
    }

    function forget(): void {
      if (held > 0) limits.giveBack('bytes', id, held)
      held = 0
    }
  }
}

/** An unknown caller gets an answer; any other error is a fault of ours. */
function known(identify: IdentifyCaller): Identify {
  return async () => {
    try {
      return await identify()
    } catch (thrown) {
      if (thrown instanceof BrokerError) return thrown
      throw thrown
    }
  }
}

function toCall({ method, path, body, seen }: CallMessage): RelayedCall {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return {
    // Another method is refused by the relay, in words.
    method: method as RelayedCall['method'],
    path,
    ...(text !== '' && { body: text }),
    ...(seen !== '' && { seen }),
  }
}
