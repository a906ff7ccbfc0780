const AT_ONCE = 16

/** A few at a time: a thousand handshakes at once would only queue up. */
export async function inTurn<T, Result>(
  items: readonly T[],
  action: (item: T, number: number) => Promise<Result>,
  atOnce = AT_ONCE,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += atOnce) {
    const some = items.slice(from, from + atOnce)
    results.push(...(await Promise.all(some.map((item, nth) => action(item, from + nth)))))
  }
  return results
}
