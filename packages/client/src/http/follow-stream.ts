import type { Stamp, Waiting } from '../communicator/broker-communicator.ts'
import { BrokerUnreachable } from '../communicator/errors.ts'
import type { Call, Exchange, Reply } from './exchange.ts'

/**
 * Adapts pushed answers to a poll: each call waits for the next answer, and after a fault the
 * stream restarts.
 */
export function followed<A extends Stamp>(
  follow: NonNullable<Exchange['follow']>,
  call: Call,
  read: (reply: Reply, signal?: AbortSignal) => A | Promise<A>,
): (waiting: Waiting) => Promise<A> {
  let answers: AsyncIterator<Reply> | undefined

  return async ({ signal = NEVER }) => {
    answers ??= follow(call, signal)[Symbol.asyncIterator]()
    const next = await answers.next().catch((thrown) => {
      answers = undefined
      throw thrown
    })
    if (!next.done) return read(next.value, signal)
    answers = undefined
    throw new BrokerUnreachable('The broker ended the watch; it is restarted.')
  }
}

const NEVER = new AbortController().signal
