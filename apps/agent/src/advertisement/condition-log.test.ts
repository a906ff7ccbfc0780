import { expect, it } from 'vitest'
import { createConditionLog } from './condition-log.ts'

it('says what a condition says when that is something else, and warns of what is not so', () => {
  const lines: string[] = []
  const write = (level: string) => (facts: object | string, message?: string) =>
    void lines.push(`${level} ${JSON.stringify(facts)} ${message}`)
  const tell = createConditionLog({ info: write('info'), warn: write('warn') })
  const good = { type: 'Measured', status: 'True', reason: 'Counted', message: '2 nodes.' } as const
  const bad = { ...good, status: 'False', reason: 'SomeUnreadable', message: 'A pod.' } as const

  for (const condition of [good, good, bad, bad, good]) tell(condition, { clusterID: 'rome' })

  expect(lines).toEqual([
    'info {"clusterID":"rome","condition":"Measured","reason":"Counted"} 2 nodes.',
    'warn {"clusterID":"rome","condition":"Measured","reason":"SomeUnreadable"} A pod.',
    'info {"clusterID":"rome","condition":"Measured","reason":"Counted"} 2 nodes.',
  ])
})
