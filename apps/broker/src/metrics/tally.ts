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
  const tallies = new Map<string, Counted>()
  /** What is counted thousands of times a second is mostly the same again. */
  let last: Counted | undefined
  new Counter({
    ...options,
    collect() {
      this.reset()
      for (const { labels, count } of tallies.values()) this.inc(labels, count)
    },
  })

  /** Values in the order of `labelNames`; those at the end may be left out. */
  return function count(...values) {
    if (!last || !areSame(last.values, values)) last = find(values)
    last.count += 1
  }

  function find(values: readonly string[]): Counted {
    const key = values.join('\n')
    const known = tallies.get(key)
    if (known) return known
    const counted = { values, labels: named(values), count: 0 }
    tallies.set(key, counted)
    return counted
  }

  function named(values: readonly string[]): Record<string, string> {
    return Object.fromEntries(values.map((value, at) => [labelNames[at] ?? '', value]))
  }
}

type Counted = { values: readonly string[]; labels: Record<string, string>; count: number }

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at])
}
