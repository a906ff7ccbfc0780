import { type Kind, type KubeClient, KubeError } from '@bourse/kube'

export type WatchedClient = KubeClient &
  Readonly<{
    /** Why objects of one of these kinds are not seen at the moment, if they are not. */
    troubleOf(...kinds: readonly Kind[]): string | undefined
  }>

/**
 * The API server as all parts of an agent see it. Whatever they watch is noted here, in one place,
 * so that no watch can fail without being counted. Without an answer yet, a watch is in trouble.
 */
export function createWatchedClient(
  client: KubeClient,
  onTrouble: (watched: string) => void,
): WatchedClient {
  const open = new Set<string>()
  const faults = new Map<string, string>()

  async function* noting<T>({ plural }: Kind, told: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* told
    } catch (thrown) {
      // Whoever stops a watch throws a reason of its own.
      if (thrown instanceof KubeError) {
        faults.set(plural, thrown.message)
        onTrouble(plural)
      }
      throw thrown
    }
  }

  function troubleOf({ plural }: Kind): string | undefined {
    return faults.get(plural) ?? (open.has(plural) ? undefined : `${plural} are not seen yet`)
  }

  return {
    ...client,
    pages: (kind, options) => noting(kind, client.pages(kind, options)),
    watch(kind, options) {
      // A list that is answered does not mean that changes are: those count.
      const onOpen = () => {
        open.add(kind.plural)
        faults.delete(kind.plural)
        options?.onOpen?.()
      }
      return noting(kind, client.watch(kind, { ...options, onOpen }))
    },
    troubleOf: (...kinds) => kinds.map(troubleOf).find((trouble) => trouble !== undefined),
  }
}
