import { expect, it } from 'vitest'
import { prettyLine } from './pretty-line.ts'

it('shows the time of day, the level, the message and what is known, in one line', () => {
  const facts = { cluster: 'rome', index: 7, wanted: { cpu: '2' }, gone: undefined }

  const line = prettyLine({ time: '2026-01-01T12:34:56.789Z', level: 'warn', message: 'no', facts })

  expect(line).toBe('12:34:56 warn  no cluster=rome index=7 wanted={"cpu":"2"}')
})

it('leaves nothing in a message or a fact that could steer a terminal', () => {
  const hostile = 'a\u001b[2J\nb'

  const line = prettyLine({
    time: '2026-01-01T12:34:56.789Z',
    level: 'info',
    message: hostile,
    facts: { name: hostile },
  })

  expect([...line].filter((character) => character < ' ')).toEqual([])
})
