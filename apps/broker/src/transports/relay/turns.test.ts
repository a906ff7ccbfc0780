import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('lets others begin before one caller has begun all that it sent at once', async () => {
  const begun: string[] = []
  const turns = createTurns()
  const all = new Promise<void>((resolve) => {
    for (let sent = 0; sent < 100; sent += 1) turns.run('mallory', () => begun.push('mallory'))
    turns.run('rome', () => begun.push('rome'))
    turns.run('mallory', resolve)
  })

  await all

  expect(begun.indexOf('rome')).toBeLessThan(8)
  expect(begun).toHaveLength(101)
})

it('gives the event loop away between two turns', async () => {
  const begun: string[] = []
  const turns = createTurns()
  for (let sent = 0; sent < 100; sent += 1) turns.run('mallory', () => begun.push('mallory'))

  await new Promise((resolve) => setImmediate(resolve))

  expect(begun.length).toBeLessThan(8)
})
