type Labels = Readonly<Record<string, string>>
type Kind = 'counter' | 'gauge'
type Sample = Readonly<{ labels?: Labels; value: number }>

/** A family of samples, computed on each scrape. */
type Family = Readonly<{ name: string; help: string; kind: Kind; read(): readonly Sample[] }>

export type Counter = { add(labels?: Labels, by?: number): void }

/** The text format of Prometheus; its library would be larger than the agent itself. */
export function createMetrics() {
  const families: Family[] = []

  return {
    counter,
    gauge,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    metrics: async () => families.map(print).join(''),
  }

  /** `first`: label sets that start at 0. */
  function counter(name: string, help: string, first: readonly Labels[] = [{}]): Counter {
    const counts = new Map(first.map((labels) => [keyOf(labels), { labels, value: 0 }]))
    families.push({ name, help, kind: 'counter', read: () => [...counts.values()] })
    return {
      add(labels = {}, by = 1) {
        const { value = 0 } = counts.get(keyOf(labels)) ?? {}
        counts.set(keyOf(labels), { labels, value: value + by })
      },
    }
  }

  function gauge(name: string, help: string, read: () => number | readonly Sample[]): void {
    const samples = () => {
      const now = read()
      return typeof now === 'number' ? [{ value: now }] : now
    }
    families.push({ name, help, kind: 'gauge', read: samples })
  }
}

export type Metrics = ReturnType<typeof createMetrics>

function print({ name, help, kind, read }: Family): string {
  const lines = read().map(({ labels = {}, value }) => `${name}${keyOf(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}

function keyOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
