import { Counter, Gauge, type Registry } from 'prom-client'
import { createSpread } from './spread.ts'
import { createTally } from './tally.ts'

type About = Readonly<{ name: string; help: string; labelNames?: readonly string[] }>
export type Figures = ReturnType<typeof createFigures>

/** The kinds of figures that a registry shows. Functions are called at each scrape. */
export function createFigures(registry: Registry) {
  const registers = [registry]
  return { counter, counters, gauge, gauges, spread, tally, total }

  function counter(about: About): Counter {
    return new Counter({ ...about, registers })
  }

  /** Counted elsewhere: `fill` adds all of it anew. */
  function counters(about: About, fill: (counter: Counter) => void): void {
    const collect = () => {
      shown.reset()
      fill(shown)
    }
    const shown: Counter = new Counter({ ...about, registers, collect })
  }

  function total(name: string, help: string, value: () => number): void {
    counters({ name, help }, (shown) => shown.inc(value()))
  }

  /** What `fill` does not set stays as it was. */
  function gauges(about: About, fill: (gauge: Gauge) => void | Promise<void>): void {
    const shown: Gauge = new Gauge({ ...about, registers, collect: () => fill(shown) })
  }

  function gauge(name: string, help: string, value: () => number): void {
    gauges({ name, help }, (shown) => shown.set(value()))
  }

  function tally(name: string, help: string, labelNames: readonly string[]) {
    return createTally({ name, help, labelNames, registers })
  }

  function spread(name: string, help: string, buckets: readonly number[]) {
    return createSpread({ name, help, buckets, registers })
  }
}
