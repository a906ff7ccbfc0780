import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import type { Stamp, Waiting } from './broker-communicator.ts'
import { BrokerUnreachable } from './errors.ts'
import { pollLong } from './long-poll.ts'

describe('a long poll', () => {
  it('waits for what differs from the answer before', async () => {
    const { told, questions } = await heard([
      { ledgerId: 'L1', index: 3 },
      { ledgerId: 'L1', index: 3 },
      { ledgerId: 'L1', index: 5 },
    ])

    expect(told).toEqual(['L1 3', 'L1 5'])
    expect(questions).toEqual(['at once', 'after 3', 'after 3', 'after 5'])
  })

  it('yields the answer of another ledger, also with the same index', async () => {
    const { told } = await heard([
      { ledgerId: 'L1', index: 3 },
      { ledgerId: 'L2', index: 3 },
    ])

    expect(told).toEqual(['L1 3', 'L2 3'])
  })

  it('asks without waiting after a fault: another ledger may answer now', async () => {
    const { told, questions } = await heard([
      { ledgerId: 'L1', index: 3 },
      'away',
      { ledgerId: 'L2', index: 9 },
    ])

    expect(told).toEqual(['L1 3', 'L2 9'])
    expect(questions).toEqual(['at once', 'after 3', 'at once', 'after 9'])
  })

  it('yields an answer when the broker is back, also when nothing has changed', async () => {
    const { told } = await heard([
      { ledgerId: 'L1', index: 3 },
      'away',
      { ledgerId: 'L1', index: 3 },
    ])

    expect(told).toEqual(['L1 3', 'L1 3'])
  })
})

/** What was told and asked until the script was over. */
async function heard(script: readonly (Stamp | 'away')[]) {
  const clock = steppedClock()
  const stopping = new AbortController()
  const told: string[] = []
  const questions: string[] = []

  async function ask({ waitMs, after }: Waiting): Promise<Stamp> {
    const answer = script[questions.length]
    questions.push(waitMs === undefined ? 'at once' : `after ${after}`)
    if (answer === 'away') throw new BrokerUnreachable('The broker is away.')
    if (answer) return answer
    stopping.abort()
    return {}
  }
  async function listen(): Promise<void> {
    const options = { signal: stopping.signal }
    for await (const { ledgerId, index } of pollLong(ask, options, { clock }))
      told.push(`${ledgerId} ${index}`)
  }
  const listening = listen()
  await clock.advance(60_000)
  await listening
  return { told, questions }
}
