import { LOOK_AGAIN_MS } from '../../http/answers/long-polls.ts'
import type { Caller } from '../../http/callers/caller.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'

/** The caller as of now, or why it is not admitted. */
export type Identify = () => Promise<Caller | BrokerError>
export type OpenCalls = ReturnType<typeof createOpenCalls>

/**
 * Calls that wait for their answer while their callers may be shut out. Only certificates are
 * looked at: the relay asks the lists of clusters itself, before each answer and as often.
 */
export function createOpenCalls() {
  const looks = new Set<() => void>()
  // Nothing tells of a certificate that expires.
  const looking = setInterval(lookAgain, LOOK_AGAIN_MS).unref()

  return { unlessShutOut, lookAgain, stop: () => clearInterval(looking) }

  /** The answer, or why its caller may not have it: as soon as a look shows that. */
  async function unlessShutOut<A>(identify: Identify, answer: Promise<A>) {
    const { promise: shutOut, resolve, reject } = Promise.withResolvers<BrokerError>()
    looks.add(look)
    const first = await Promise.race([answer, shutOut]).finally(() => looks.delete(look))
    if (first instanceof BrokerError) return first
    const caller = await identify()
    return caller instanceof BrokerError ? caller : first

    function look(): void {
      identify().then((found) => {
        if (found instanceof BrokerError) resolve(found)
      }, reject)
    }
  }

  function lookAgain(): void {
    for (const look of looks) look()
  }
}
