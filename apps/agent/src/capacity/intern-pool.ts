export type InternPool<T> = { intern(key: string, value: T): T }

/** Far more than a cluster has of different requests or node names. */
const ENTRIES_MAX = 20_000

/** The first value of a key stands for all later ones, so that a hundred thousand pods share it. */
export function createInternPool<T>(): InternPool<T> {
  const values = new Map<string, T>()
  return {
    intern(key, value) {
      const known = values.get(key)
      if (known !== undefined) return known
      // What is in use stays alive with its users; only the sharing begins anew.
      if (values.size >= ENTRIES_MAX) values.clear()
      values.set(key, value)
      return value
    },
  }
}
