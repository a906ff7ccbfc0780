import { expect, it } from 'vitest'
import { takeTurns } from './take-turns.ts'

it('hears messages one after the other, and others in between', async () => {
  const next = takeTurns()
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
