import { expect, it } from 'vitest'
import { usualLogFormat } from './daemon-flags.ts'

it('logs for people on a terminal, and for programs elsewhere', () => {
  expect(usualLogFormat({ isTTY: true })).toBe('pretty')
  expect(usualLogFormat({})).toBe('json')
})
