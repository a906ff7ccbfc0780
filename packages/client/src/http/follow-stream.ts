import type { Stamp, Waiting } from '../communicator/broker-communicator.ts'
import { BrokerUnreachable } from '../communicator/errors.ts'
import type { Call, Exchange, Reply } from './exchange.ts'

/**
 * A question whose answers are pushed, asked as if one had to ask: each time the next answer is
 * waited for, and after a fault the stream begins anew.
 */
export function followed<A extends Stamp>(
  follow: NonNullable<Exchange['follow']>,
  call: Call,
  read: (reply: Reply, signal?: AbortSignal) => A | Promise<A>,
): (waiting: Waiting) => Promise<A> {
  let answers: AsyncIterator<Reply> | undefined

  return async ({ signal = NEVER }) => {
    answers ??= follow(call, signal)[Symbol.asyncIterator]()
    const next = await answers.next().then(undefined, (thrown) => {
      answers = undefined
      throw thrown
    })
    if (!next.done) return read(next.value, signal)
    answers = undefined
    throw new BrokerUnreachable('The broker has ended the watch: it is asked again.')
  }
}

const NEVER = new AbortController().signal
