import { describe, expect, it, onTestFinished } from 'vitest'
import { watchAcceptance } from './watch-acceptance.ts'

function aWatch() {
  const state = { isRolledBack: true, isOurs: true, isAway: false }
  const told: string[] = []
  let looks = 0
  let turns = 0
  const { stop } = watchAcceptance({
    everyMs: 1,
    isRolledBack() {
      turns++
      return state.isRolledBack
    },
    async isStillOurs() {
      looks++
      if (state.isAway) throw new Error('The store is away.')
      return state.isOurs
    },
    onAccepted: ({ message }) => void told.push(message),
  })
  onTestFinished(stop)
  const someLooks = () => {
    const before = looks
    return expect.poll(() => looks - before).toBeGreaterThan(2)
  }
  return { state, told, someLooks, looks: () => looks, turns: () => turns }
}

describe('a broker whose store is rolled back', () => {
  it('hears once that another broker has gone on from there', async () => {
    const { state, told, someLooks } = aWatch()
    await someLooks()
    expect(told).toEqual([])

    state.isOurs = false

    await expect.poll(() => told).toEqual([expect.stringContaining('was accepted')])
  })

  it('looks again when the store was away', async () => {
    const { state, told, someLooks } = aWatch()
    state.isAway = true
    await someLooks()

    Object.assign(state, { isAway: false, isOurs: false })

    await expect.poll(() => told).toHaveLength(1)
  })

  it('reads nothing while nothing is wrong', async () => {
    const { state, looks, turns } = aWatch()
    state.isRolledBack = false

    await expect.poll(turns).toBeGreaterThan(2)

    expect(looks()).toBe(0)
  })
})
