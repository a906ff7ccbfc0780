import { keyOf } from '@bourse/kube'
import { isNotOlder, type ObjectFacts } from './object-facts.ts'

type Watched<T> = Readonly<{ get(key: string): T | undefined }>

/**
 * How long the answer to a write is believed beyond what the watch tells. A deletion may overtake
 * the answer: without an end, what is gone would be seen for ever.
 */
const BELIEVED_MS = 5_000

/**
 * The newest known version of each object: from the watch, or from the answer to our own write,
 * which the watch may report only later.
 */
export function createFreshest<T extends ObjectFacts>(
  watched: () => Watched<T> | undefined,
  monotonic: () => number = () => performance.now(),
) {
  const written = new Map<string, Readonly<{ object: T; at: number }>>()

  return { get, wrote, saw, gone }

  function get(key: string): T | undefined {
    const seen = watched()?.get(key)
    const own = ownOf(key)
    return own && (!seen || isNotOlder(own, seen)) ? own : seen
  }

  function ownOf(key: string): T | undefined {
    const own = written.get(key)
    if (own && monotonic() - own.at < BELIEVED_MS) return own.object
    written.delete(key)
    return undefined
  }

  function wrote(object: T): void {
    const isLast = object.isDeleting && object.finalizers.length === 0
    if (isLast) written.delete(keyOf(object))
    else written.set(keyOf(object), { object, at: monotonic() })
  }

  /** The watch has told of this version. */
  function saw(object: T, key: string): void {
    const own = written.get(key)?.object
    if (own && isNotOlder(object, own)) written.delete(key)
  }

  function gone(key: string): void {
    written.delete(key)
  }
}
