import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

/** A clock that stands still until a test waits or works. */
function aPort(limits = { busyMsPerSecond: 100, burstMs: 10 }) {
  let at = 0
  const turns = createTurns(
    {
      now: () => at,
      later(next, ms) {
        at += ms
        queueMicrotask(next)
      },
    },
    limits,
  )
  const answered: string[] = []
  const asking = (address: string, tookMs = 1) =>
    new Promise<void>((resolve) => {
      turns.ask(address, async () => {
        at += tookMs
        answered.push(address)
        resolve()
      })
    })
  return { asking, answered, turns, now: () => at }
}

describe('turns', () => {
  it('answers at once what is asked now and then', async () => {
    const { asking, now } = aPort()

    await asking('kubelet', 1)

    expect(now()).toBe(1)
  })

  it('lets the addresses take turns, however much one of them asks', async () => {
    const { asking, answered } = aPort()

    await Promise.all([asking('flood'), asking('flood'), asking('flood'), asking('kubelet')])

    expect(answered).toEqual(['flood', 'flood', 'kubelet', 'flood'])
  })

  it('takes no more than its share of the time', async () => {
    const { asking, now } = aPort({ busyMsPerSecond: 100, burstMs: 10 })

    await Promise.all(Array.from({ length: 100 }, () => asking('flood', 4)))

    // 400 ms of work, of which 10 were saved and the last may be owed.
    expect(now()).toBeGreaterThan(3_500)
    expect(now()).toBeLessThan(4_500)
  })

  it('has no request waiting once all are answered', async () => {
    const { asking, turns } = aPort()

    const all = Promise.all([asking('a'), asking('a'), asking('b')])
    expect(turns.waiting()).toBeGreaterThan(0)
    await all

    expect(turns.waiting()).toBe(0)
  })
})
