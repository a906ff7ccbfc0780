import { type Kind, type KubeClient, KubeError } from '@bourse/kube'

export type WatchedClient = KubeClient &
  Readonly<{
    /** Why a watch of one of these kinds fails at the moment, if it does. */
    troubleOf(...kinds: readonly Kind[]): string | undefined
  }>

/**
 * The client that all parts of an agent use. It notes every watch, so that no watch can fail
 * uncounted. A watch counts as failing until the server accepts it.
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
      // A stopped watch throws the signal's reason.
      if (thrown instanceof KubeError) {
        faults.set(plural, thrown.message)
        onTrouble(plural)
      }
      throw thrown
    }
  }

  function troubleOf({ plural }: Kind): string | undefined {
    return faults.get(plural) ?? (open.has(plural) ? undefined : `${plural} are not watched yet`)
  }

  return {
    ...client,
    pages: (kind, options) => noting(kind, client.pages(kind, options)),
    watch(kind, options) {
      // Only an accepted watch counts, not a list.
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
