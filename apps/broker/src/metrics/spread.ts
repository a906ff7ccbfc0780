import type { Metric, Registry } from 'prom-client'

type Options = Readonly<{
  name: string
  help: string
  /** Upper bounds, ascending. */
  buckets: readonly number[]
  registers: readonly Registry[]
}>

/**
 * A histogram for what happens thousands of times a second: counted in plain numbers, and put into
 * words when it is scraped.
 */
export function createSpread({ name, help, buckets, registers }: Options): (value: number) => void {
  const counts = new Float64Array(buckets.length + 1)
  let sum = 0
  const about = { name, help, type: 'histogram' }
  // A registry asks its metrics for their name and, at each scrape, for this.
  const metric = { ...about, get: async () => told() } as unknown as Metric
  for (const registry of registers) registry.registerMetric(metric)

  return function observe(value) {
    let place = 0
    while (value > (buckets[place] ?? Number.POSITIVE_INFINITY)) place += 1
    counts[place] = (counts[place] ?? 0) + 1
    sum += value
  }

  function told() {
    let count = 0
    const upTo = (le: number | string, nth: number) => {
      count += counts[nth] ?? 0
      return { metricName: `${name}_bucket`, labels: { le }, value: count }
    }
    const values = [
      ...[...buckets, '+Inf'].map(upTo),
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ]
    return { ...about, values, aggregator: 'sum' }
  }
}
