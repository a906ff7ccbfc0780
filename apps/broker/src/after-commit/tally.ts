import { Counter, type Registry } from 'prom-client'

type Options = Readonly<{
  name: string
  help: string
  labelNames: readonly string[]
  registers: Registry[]
}>

/**
 * A counter for what happens thousands of times a second: counted in plain numbers, and given its
 * labels when it is scraped.
 */
export function createTally(options: Options): (...labels: readonly string[]) => void {
  const { labelNames } = options
  const tallies = new Map<string, { labels: Record<string, string>; count: number }>()
  new Counter({
    ...options,
    collect() {
      this.reset()
      for (const { labels, count } of tallies.values()) this.inc(labels, count)
    },
  })

  /** Values in the order of `labelNames`; those at the end may be left out. */
  return function count(...values) {
    const key = values.join('\n')
    const tally = tallies.get(key)
    if (tally) tally.count += 1
    else tallies.set(key, { labels: named(values), count: 1 })
  }

  function named(values: readonly string[]): Record<string, string> {
    return Object.fromEntries(values.map((value, at) => [labelNames[at] ?? '', value]))
  }
}
