import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { createEventRing } from './event-ring.ts'

const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

describe('createEventRing', () => {
  it.each([
    { after: 12, indexes: [] },
    { after: 11, indexes: [12] },
    { after: 10, indexes: [11, 11, 12] },
  ])('has everything since $after', ({ after, indexes }) => {
    const ring = createEventRing(10)
    ring.publish({ index: 11, at: 0, events: [staled, staled] })
    ring.publish({ index: 12, at: 0, events: [staled] })

    expect(ring.since(after)?.map(({ index }) => index)).toEqual(indexes)
  })

  it('says when it does not go back that far', () => {
    const ring = createEventRing(10)

    expect(ring.since(9)).toBeUndefined()
  })

  it('keeps a bounded number, and knows what it has let go', () => {
    const ring = createEventRing(0)
    ring.publish({ index: 1, at: 0, events: Array(4_000).fill(staled) })

    ring.publish({ index: 2, at: 0, events: [staled] })

    expect(ring.since(0)).toBeUndefined()
    expect(ring.since(1)).toHaveLength(1)
  })
})
