import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  BODY_BYTES_MAX_EACH,
  createCallerLoads,
  IN_WORK_MAX,
  UNREAD_BYTES_MAX_EACH,
  WAITED_MAX_MS,
  WAITING_MAX,
} from './caller-loads.ts'

const MIB = 1024 * 1024

describe('createCallerLoads', () => {
  it('begins what waits when something else has ended, in another turn', async () => {
    const loads = createCallerLoads(() => 0)
    const mallory = loads.of('mallory')
    const begun = Array.from({ length: IN_WORK_MAX + 1 }, () => loads.hasBegun(mallory))
    const started: number[] = []
    for (const n of [1, 2]) loads.wait(mallory, () => started.push(n))

    loads.leave(mallory)
    const atOnce = started.length
    await nextTurn()

    expect([begun.at(-2), begun.at(-1)]).toEqual([true, false])
    expect([atOnce, started]).toEqual([0, [1]])
    expect(loads.totals()).toMatchObject({ inWork: IN_WORK_MAX, waiting: 1 })
    expect(loads.hasBegun(loads.of('rome'))).toBe(true)
  })

  it('begins no more in one turn, also of those that end at once', async () => {
    const loads = createCallerLoads(() => 0)
    const mallory = loads.of('mallory')
    let begun = 0
    const answerAtOnce = () => {
      begun += 1
      loads.leave(mallory)
    }
    const ask = () => (loads.hasBegun(mallory) ? answerAtOnce() : loads.wait(mallory, answerAtOnce))

    for (let n = 0; n < 2 * IN_WORK_MAX + 1; n += 1) ask()
    const seen = [begun]
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn()
      seen.push(begun)
    }

    expect(seen).toEqual([IN_WORK_MAX, 2 * IN_WORK_MAX, 2 * IN_WORK_MAX + 1, seen.at(-1)])
    expect(loads.totals()).toMatchObject({ inWork: 0, waiting: 0 })
  })

  it('refuses more waiting, more large bodies and those who do not read, each by its name', () => {
    const loads = createCallerLoads(() => 0)
    const [waiting, sending, notReading] = ['a', 'b', 'c'].map(loads.of)
    if (!waiting || !sending || !notReading) throw new Error('Three were asked for.')

    for (let n = 0; n < WAITING_MAX; n += 1) loads.wait(waiting, () => {})
    loads.hold(sending, BODY_BYTES_MAX_EACH)
    loads.keepUnread(notReading, UNREAD_BYTES_MAX_EACH)

    expect(loads.overload(waiting, 0)).toBe('concurrency')
    expect([loads.overload(sending, MIB), loads.overload(sending, 0)]).toEqual(['body', undefined])
    expect(loads.overload(notReading, 0)).toBe('unread')
    loads.keepUnread(notReading, -UNREAD_BYTES_MAX_EACH)
    expect(loads.overload(notReading, 0)).toBeUndefined()
  })

  it('refuses more while the first that waits has waited for long', () => {
    const clock = { at: 0 }
    const loads = createCallerLoads(() => clock.at)
    const mallory = loads.of('mallory')
    loads.wait(mallory, () => {})

    clock.at = WAITED_MAX_MS
    const before = loads.overload(mallory, 0)
    clock.at += 1

    expect([before, loads.overload(mallory, 0)]).toEqual([undefined, 'concurrency'])
  })

  it('lets one who sends nothing large send, also while all together send much', () => {
    const loads = createCallerLoads(() => 0)
    for (let n = 0; n < 16; n += 1) loads.hold(loads.of(`c-${n}`), BODY_BYTES_MAX_EACH)

    expect(loads.overload(loads.of('rome'), MIB)).toBe('body')
    expect(loads.overload(loads.of('rome'), 0)).toBeUndefined()
  })
})
