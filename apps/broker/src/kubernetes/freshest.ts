import { keyOf } from '@bourse/kube'
import { isNotOlder, type ObjectFacts } from './object-facts.ts'

type Watched<T> = Readonly<{ get(key: string): T | undefined }>
export type Freshest<T> = ReturnType<typeof createFreshest<T & ObjectFacts>>

/**
 * The newest version of each object that anybody told us of: the watch, or the answer to a write
 * of our own, which the watch may tell of only after we have looked at the object again.
 */
export function createFreshest<T extends ObjectFacts>(watched: () => Watched<T> | undefined) {
  const written = new Map<string, T>()

  return {
    get(key: string): T | undefined {
      const seen = watched()?.get(key)
      const own = written.get(key)
      return own && (!seen || isNotOlder(own, seen)) ? own : seen
    },
    wrote(object: T): void {
      written.set(keyOf(object), object)
    },
    /** The watch has told of this version. */
    saw(object: T, key: string): void {
      const own = written.get(key)
      if (own && isNotOlder(object, own)) written.delete(key)
    },
    gone(key: string): void {
      written.delete(key)
    },
  }
}
