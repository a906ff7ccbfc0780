import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createSpread } from './spread.ts'

test('is told as a histogram of the library would be', async () => {
  const options = { name: 'took_seconds', help: 'How long it took.', buckets: [0.1, 1, 5] }
  const [ours, theirs] = [new Registry(), new Registry()]
  const observe = createSpread({ ...options, registers: [ours] })
  const histogram = new Histogram({ ...options, registers: [theirs] })

  for (const seconds of [0.05, 0.1, 0.25, 1, 4, 5, 60]) {
    observe(seconds)
    histogram.observe(seconds)
  }

  expect(await ours.metrics()).toBe(await theirs.metrics())
})
