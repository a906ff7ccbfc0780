import { describe, expect, it } from 'vitest'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import type { HistoryBatch } from '../port/history.ts'
import { boundHistory, QUESTIONS_MAX } from './bounded-history.ts'

const NOTHING: HistoryBatch = { through: 1, decisions: [], ended: [], tombstones: [] }
const question = () => 'rsv-1'

describe('a bounded history', () => {
  it('refuses a question when too many wait, as one to be asked again', async () => {
    const { history } = aCrowdedHistory()

    const beyond = [
      history.ended('rsv-2'),
      history.listEnded({ limit: 1 }),
      history.decision({ id: 'rsv-2', decidedIndex: 1 }),
    ]

    const results = await Promise.allSettled(beyond)
    expect(results).toMatchObject(beyond.map(() => ({ reason: { trouble: 'refused' } })))
  })

  it('answers again once those before are answered', async () => {
    const { history, answer } = aCrowdedHistory()

    await answer()

    expect(await history.ended('rsv-2')).toBeUndefined()
  })

  it('counts questions that failed as answered, too', async () => {
    const ended = () => Promise.reject(new Error('no such table'))
    const history = boundHistory({ ...createMemoryHistory(), ended })
    const failing = Array.from({ length: QUESTIONS_MAX }, question).map(history.ended)
    await Promise.allSettled(failing)

    const next = history.ended('rsv-2')

    await expect(next).rejects.toThrow('no such table')
  })

  it('records and recalls however many questions wait', async () => {
    const { history } = aCrowdedHistory()

    await history.record(NOTHING)

    expect(await history.request('rest', 'rome', 'r1')).toBeUndefined()
    expect(await history.recordedThrough()).toBe(1)
  })
})

/** As many wait in it as may. */
function aCrowdedHistory() {
  const memory = createMemoryHistory()
  const gate = Promise.withResolvers<void>()
  const ended = async (id: string) => {
    await gate.promise
    return memory.ended(id)
  }
  const history = boundHistory({ ...memory, ended })
  const waiting = Array.from({ length: QUESTIONS_MAX }, question).map(history.ended)
  const answer = async () => {
    gate.resolve()
    await Promise.all(waiting)
  }
  return { history, answer }
}
