/** More than the clusters of most federations, each with a few sizes that are in demand. */
const KEPT_MAX = 4_096

type Limits<To> = Readonly<{
  keptMax?: number
  /** Large values are rare: keeping thousands of them would only cost memory. */
  isSmall?(made: To): boolean
}>

/**
 * Makes something of each immutable value once: many reservations share the same object. Not a
 * WeakMap: the collector would go through its thousands of entries in every run.
 */
export function onceEach<From, To>(
  make: (value: From) => To,
  { keptMax = KEPT_MAX, isSmall = () => true }: Limits<To> = {},
): (value: From) => To {
  const made = new Map<From, To>()

  return function madeOf(value) {
    const known = made.get(value)
    if (known !== undefined) return known
    const fresh = make(value)
    if (!isSmall(fresh)) return fresh
    if (made.size >= keptMax) made.clear()
    made.set(value, fresh)
    return fresh
  }
}
