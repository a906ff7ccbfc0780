import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createTally } from './tally.ts'

test('what was counted is there at each scrape, by label', async () => {
  const registry = new Registry()
  const count = createTally({
    name: 'answers_total',
    help: 'Answers.',
    registers: [registry],
    labelNames: ['method', 'status'],
  })
  count('GET', '200')
  count('GET', '200')
  count('POST')
  await registry.metrics()
  count('GET', '404')

  const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))

  expect(lines.filter(Boolean)).toEqual([
    'answers_total{method="GET",status="200"} 2',
    'answers_total{method="POST"} 1',
    'answers_total{method="GET",status="404"} 1',
  ])
})
