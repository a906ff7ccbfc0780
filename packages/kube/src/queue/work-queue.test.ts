import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { createWorkQueue, type WorkQueueOptions } from './work-queue.ts'

/** A queue whose turns end when the test says so. */
function aQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = steppedClock()
  const begun: string[] = []
  const ends = new Map<string, { answer(againAfterMs?: number): void; fail(): void }>()
  const troubles: string[] = []
  const queue = createWorkQueue({
    clock,
    onTrouble: (error, key, pauseMs) => troubles.push(`${key}: ${error.message}, ${pauseMs} ms`),
    work(key) {
      begun.push(key)
      return new Promise((resolve, reject) => {
        ends.set(key, {
          answer: (againAfterMs) => resolve({ againAfterMs }),
          fail: () => reject(new Error('failed')),
        })
      })
    },
    ...options,
  })
  const settle = () => clock.advance(0)
  return { queue, clock, begun, ends, troubles, settle }
}

describe('a work queue', () => {
  it('takes a key once, however often it is added', async () => {
    const { queue, begun, settle } = aQueue()

    queue.add('a')
    queue.add('a')
    queue.add('b')
    await settle()

    expect(begun).toEqual(['a', 'b'])
  })

  it('looks again at a key that was added during its turn, after that turn', async () => {
    const { queue, begun, ends, settle } = aQueue()
    queue.add('a')
    await settle()

    queue.add('a')
    queue.add('a')
    await settle()
    const during = [...begun]
    ends.get('a')?.answer()
    await settle()

    expect(during).toEqual(['a'])
    expect(begun).toEqual(['a', 'a'])
  })

  it('has no more turns at once than workers', async () => {
    const { queue, begun, ends, settle } = aQueue({ workers: 2 })

    for (const key of ['a', 'b', 'c']) queue.add(key)
    await settle()
    const atFirst = [...begun]
    ends.get('b')?.answer()
    await settle()

    expect(atFirst).toEqual(['a', 'b'])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('waits longer after each failure, and starts over after a success', async () => {
    const { queue, ends, troubles, clock } = aQueue()

    queue.add('a')
    for (const passedMs of [0, 75, 150, 300]) {
      await clock.advance(passedMs)
      ends.get('a')?.fail()
    }
    await clock.advance(600)
    ends.get('a')?.answer()
    await clock.advance(0)
    queue.add('a')
    await clock.advance(0)
    ends.get('a')?.fail()
    await clock.advance(0)

    // 100 · 2^n, half of it for sure and half of the rest by our chance
    expect(troubles.map((line) => line.split(', ')[1])).toEqual([
      '75 ms',
      '150 ms',
      '300 ms',
      '600 ms',
      '75 ms',
    ])
  })

  it('lets a failing key wait although it was added meanwhile', async () => {
    const { queue, begun, ends, settle } = aQueue()
    queue.add('a')
    await settle()

    queue.add('a')
    ends.get('a')?.fail()
    await settle()

    expect(begun).toEqual(['a'])
    expect(queue.size()).toBe(1)
  })

  it('comes back after the time that a turn asked for, or sooner when added', async () => {
    const { queue, begun, ends, clock } = aQueue()
    queue.add('a')
    await clock.advance(0)

    ends.get('a')?.answer(5_000)
    await clock.advance(4_999)
    const before = begun.length
    await clock.advance(1)
    ends.get('a')?.answer(5_000)
    await clock.advance(100)
    queue.add('a')
    await clock.advance(0)

    expect(before).toBe(1)
    expect(begun).toHaveLength(3)
  })

  it('rings the earlier of two alarms for a key, in the order of time', async () => {
    const { queue, begun, clock } = aQueue()

    queue.addAfter('late', 300)
    queue.addAfter('early', 900)
    queue.addAfter('early', 100)
    queue.addAfter('middle', 200)
    await clock.advance(1_000)

    expect(begun).toEqual(['early', 'middle', 'late'])
  })

  it('refuses more keys than it may hold, but not those it has', () => {
    const { queue } = aQueue({ keysMax: 2, workers: 0 })

    const taken = [queue.add('a'), queue.addAfter('b', 5), queue.add('c'), queue.add('a')]

    expect(taken).toEqual([true, true, false, true])
  })

  it('finishes what is under way when it stops, and begins nothing', async () => {
    const { queue, begun, ends, settle } = aQueue({ workers: 1 })
    queue.add('a')
    queue.add('b')
    await settle()

    let isStopped = false
    const stopped = queue.stop().then(() => {
      isStopped = true
    })
    await settle()
    const during = isStopped
    ends.get('a')?.answer(10)
    await stopped

    expect(during).toBe(false)
    expect(begun).toEqual(['a'])
    expect(queue.add('c')).toBe(false)
  })
})
