import { afterEach, expect, it, vi } from 'vitest'
import { takeTurns } from './take-turns.ts'

it('hears messages one after the other, and others in between', async () => {
  const { next } = takeTurns()
  const order: string[] = []
  const heard = new Promise<void>((resolve) => {
    let left = 100
    const hear = () => {
      order.push('mqtt')
      left -= 1
      if (left === 0) resolve()
      else next(hear)
    }
    hear()
  })
  // Another caller, whose turn comes while the messages are heard.
  setImmediate(() => order.push('rest'))

  await heard

  expect(order.filter((who) => who === 'mqtt')).toHaveLength(100)
  expect(order.indexOf('rest')).toBeLessThan(20)
})

it.each([
  { what: 'a thousand small messages', messages: 1_000, bytes: 100 },
  { what: 'six messages of a mebibyte', messages: 6, bytes: 1024 * 1024 },
])('rests for 50 ms or more while it refuses $what', ({ messages, bytes }) => {
  vi.useFakeTimers()
  const startedAt = Date.now()
  const { next, onRefused } = takeTurns()
  let left = messages
  const hear = () => {
    left -= 1
    onRefused(bytes)
    if (left > 0) next(hear)
  }

  hear()
  vi.runAllTimers()

  expect(left).toBe(0)
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(50)
})

it('does not rest after a message that was refused now and then', () => {
  const { next, onRefused } = takeTurns()
  let asked = 0
  onRefused(100)

  next(() => {
    asked += 1
  })

  expect(asked).toBe(1)
})

it('rests once for what it refused, and then hears on at once', () => {
  vi.useFakeTimers()
  const { next, onRefused } = takeTurns()
  const heard: string[] = []
  onRefused(1024 * 1024)
  next(() => heard.push('after the rest'))
  vi.runAllTimers()

  next(() => heard.push('at once'))

  expect(heard).toEqual(['after the rest', 'at once'])
})

afterEach(() => void vi.useRealTimers())
