/** Calls its listeners in the order of their subscription. */
export type Signal<Args extends unknown[]> = Readonly<{
  subscribe(listener: (...args: Args) => void): () => void
  tell(...args: Args): void
  isHeard(): boolean
}>

/** How parts tell each other that something has changed. */
export function createSignal<Args extends unknown[] = []>(): Signal<Args> {
  const listeners = new Set<(...args: Args) => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell(...args) {
      for (const listener of listeners) listener(...args)
    },
    isHeard: () => listeners.size > 0,
  }
}
