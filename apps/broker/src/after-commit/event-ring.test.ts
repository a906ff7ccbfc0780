import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { sealBatch } from '../store/codec/batch.ts'
import { createEventRing } from './event-ring.ts'

const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

function published(index: number, count = 1, event: LedgerEvent = staled) {
  const batch = { index, at: 0, events: Array.from({ length: count }, () => event) }
  return { ...batch, text: sealBatch({ ...batch, writer: 'a', previous: '' }).text }
}

describe('createEventRing', () => {
  it.each([
    { after: 12, batch: undefined },
    { after: 11, batch: { index: 12, events: [staled] } },
    { after: 10, batch: { index: 11, events: [staled, staled] } },
  ])('has what comes after $after', ({ after, batch }) => {
    const ring = createEventRing(10)
    ring.publish(published(11, 2))
    ring.publish(published(12))

    expect(ring.after(after)).toEqual(batch)
    // The second time it need not be read again.
    expect(ring.after(after)).toBe(ring.after(after))
  })

  it('tells listeners that something came, and no more once they have left', () => {
    const ring = createEventRing(10)
    const heard: unknown[] = []
    const leave = ring.listen(() => heard.push(ring.after(10)))

    ring.publish(published(11, 2))
    leave()
    ring.publish(published(12))

    expect(heard).toEqual([{ index: 11, events: [staled, staled] }])
  })

  it.each([9, 11])('says that it cannot know what comes after %i', (index) => {
    const ring = createEventRing(10)

    expect(ring.after(index)).toBe('unknown')
  })

  it('has come to a batch of which there is nothing to tell', () => {
    const ring = createEventRing(10)

    ring.publish(published(11, 0))

    expect(ring.after(11)).toBeUndefined()
  })

  it('keeps a bounded number, and knows what it has let go', () => {
    const ring = createEventRing(0)
    ring.publish(published(1, 4_000))

    ring.publish(published(2))

    expect(ring.after(0)).toBe('unknown')
    expect(ring.after(1)).toEqual({ index: 2, events: [staled] })
  })

  it('keeps fewer of long ones', () => {
    const ring = createEventRing(0)
    const long = { ...staled, clusterId: 'p'.repeat(1_000_000) }
    for (let index = 1; index <= 20; index += 1) ring.publish(published(index, 1, long))

    expect([...ring.newest()].length).toBeLessThan(20)
    expect(ring.after(19)).toEqual({ index: 20, events: [long] })
  })

  it('has what was committed before it began', async () => {
    const ring = await aRefilledRing()

    expect(ring.after(0)).toBe('unknown')
    expect(ring.after(1)).toEqual({ index: 2, events: [staled] })
    expect(ring.after(2)).toEqual({ index: 3, events: [staled, staled] })
    expect(ring.after(3)).toEqual({ index: 4, events: [staled] })
    expect([...ring.newest()]).toHaveLength(4)
  })

  it('needs nothing of before once more has come than it keeps', async () => {
    const ring = createEventRing(3, Promise.resolve([published(3)]))
    ring.publish(published(4, 4_000))
    ring.publish(published(5))
    await ring.filled

    expect(ring.after(2)).toBe('unknown')
    expect(ring.after(4)).toEqual({ index: 5, events: [staled] })
  })

  it.each([
    { count: 1, index: 3 },
    { count: 2, index: 2 },
    { count: 4, index: 1 },
    { count: 9, index: 1 },
  ])('finds where the last $count begin', async ({ count, index }) => {
    const ring = await aRefilledRing()

    expect(ring.startOf(count, () => true)).toBe(index)
    expect(ring.startOf(count, () => false)).toBe(1)
  })

  async function aRefilledRing() {
    const ring = createEventRing(3, Promise.resolve([published(2), published(3, 2)]))
    ring.publish(published(4))
    await ring.filled
    return ring
  }
})
