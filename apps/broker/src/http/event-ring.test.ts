import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { sealBatch } from '../journal/batch.ts'
import { createEventRing } from './event-ring.ts'

const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

const published = (index: number, count = 1) =>
  sealed(
    index,
    Array.from({ length: count }, () => staled),
  )

function sealed(index: number, events: readonly LedgerEvent[]) {
  const batch = { index, at: 0, events }
  return { ...batch, text: sealBatch({ ...batch, writer: 'a', previous: '' }).text }
}

describe('createEventRing', () => {
  it.each([
    { after: 12, indexes: [] },
    { after: 11, indexes: [12] },
    { after: 10, indexes: [11, 11, 12] },
  ])('has everything since $after', ({ after, indexes }) => {
    const ring = createEventRing(10)
    ring.publish(published(11, 2))
    ring.publish(published(12))

    const missed = ring.since(after)

    expect(missed?.map(({ index }) => index)).toEqual(indexes)
    expect(missed?.map(({ event }) => event)).toEqual(indexes.map(() => staled))
  })

  it('tells listeners of what comes, and no more once they have left', () => {
    const ring = createEventRing(10)
    const heard: number[] = []
    const leave = ring.listen((news) => heard.push(...news.map(({ index }) => index)))

    ring.publish(published(11, 2))
    leave()
    ring.publish(published(12))

    expect(heard).toEqual([11, 11])
  })

  it('says when it does not go back that far', () => {
    const ring = createEventRing(10)

    expect(ring.since(9)).toBeUndefined()
  })

  it('keeps a bounded number, and knows what it has let go', () => {
    const ring = createEventRing(0)
    ring.publish(published(1, 4_000))

    ring.publish(published(2))

    expect(ring.since(0)).toBeUndefined()
    expect(ring.since(1)).toHaveLength(1)
  })
})
