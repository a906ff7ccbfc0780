import { describe, expect, it } from 'vitest'
import { advertise, settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { type Command, createLedger } from '../ledger/index.ts'
import { createDeadlines, type Deadline } from './deadlines.ts'

const expiry = (of: number): Deadline => ({ kind: 'expiry', of })

/** In the order in which they are due; numbers that jump about make the heap work. */
function all(deadlines: ReturnType<typeof createDeadlines>): number[] {
  const due: number[] = []
  for (let next = deadlines.popDue(Infinity); next; next = deadlines.popDue(Infinity))
    due.push(next.of as number)
  return due
}

describe('deadlines', () => {
  it('come in the order of their moments, and not before', () => {
    const deadlines = createDeadlines()
    for (const at of [50, 10, 40, 30, 20]) deadlines.add(at, expiry(at))

    expect(deadlines.popDue(9)).toBeUndefined()
    expect(deadlines.next()).toBe(10)
    expect(all(deadlines)).toEqual([10, 20, 30, 40, 50])
  })

  it('of what has ended take no room for long, and the others stay in order', () => {
    const deadlines = createDeadlines()
    const live = new Set<number>()
    const isWanted = ({ of }: Deadline) => live.has(of as number)
    let sizeMax = 0

    for (let number = 0; number < 200_000; number++) {
      live.add(number)
      deadlines.add((number * 7_919) % 1_000_003, expiry(number))
      sizeMax = Math.max(sizeMax, deadlines.size())
      // One in a hundred goes on.
      if (number % 100 === 0) continue
      live.delete(number)
      deadlines.ended(isWanted)
    }

    expect(sizeMax).toBeLessThan(25_000)
    const inOrder = [...live].sort((a, b) => ((a * 7_919) % 1_000_003) - ((b * 7_919) % 1_000_003))
    expect(all(deadlines).filter((number) => live.has(number))).toEqual(inOrder)
  })
})

describe('the deadlines of a ledger', () => {
  it('come for all that live, however many were released before their time', () => {
    const { ledger, run, reserve } = aLedgerOfParis()
    const kept: string[] = []
    for (let nth = 0; nth < 25_000; nth++) {
      const outcome = reserve(1)
      if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
      const { id } = outcome.reservation
      if (nth % 100 === 0) kept.push(id)
      else run({ kind: 'release', id }, 1)
    }

    while ((ledger.nextDeadline() ?? Infinity) <= 1_001) run({ kind: 'tick' }, 1_001)

    expect(kept.map((id) => ledger.reservation(id)?.reason)).toEqual(kept.map(() => 'Expired'))
    expect(ledger.liveCount).toBe(0)
  })

  it('of one that is renewed all the time do not pile up', () => {
    const { ledger, run, reserve } = aLedgerOfParis()
    const outcome = reserve(1)
    if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
    const { id } = outcome.reservation
    for (let now = 2; now <= 50_000; now++) run({ kind: 'renew', id, durationMs: 3_600_000 }, now)

    const due = 50_000 + 3_600_000
    let ticks = 0
    for (; (ledger.nextDeadline() ?? due) < due; ticks++) run({ kind: 'tick' }, due - 1)
    const before = ledger.reservation(id)?.phase
    run({ kind: 'tick' }, due)

    // A tick looks at 2,000 of them.
    expect(ticks).toBeLessThan(10)
    expect(before).toBe('Reserved')
    expect(ledger.reservation(id)?.reason).toBe('Expired')
  })

  it('place nothing on a silent cluster, however much else is late', () => {
    const { ledger, run, reserve } = aLedgerOfParis()
    for (let nth = 0; nth < 5_000; nth++) reserve(1)

    run({ kind: 'tick' }, 120_000)

    expect(ledger.cluster('paris')?.isStale).toBe(true)
    expect(reserve(120_000).kind).toBe('refused')
    expect(ledger.liveCount).toBeGreaterThan(0)
  })
})

function aLedgerOfParis() {
  const ledger = createLedger({ ...settings, staleAfterMs: 60_000, reclaimAfterMs: 120_000 })
  const run = (command: Command, now: number) => ledger.execute(command, { now, index: 1 })
  const wanted = { requester: 'rome', wanted: { cpu: 1n }, priority: 0, durationMs: 1_000 }
  const reserve = (now: number) => run({ kind: 'reserve', door: 'rest', ...wanted }, now).outcome
  run(advertise('paris', supplyOf({ cpu: 1_000_000n })), 1)
  return { ledger, run, reserve }
}
