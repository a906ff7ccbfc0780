import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { budgetNoteText, createJournalBudget, readBudgetNote } from './journal-budget.ts'

const PER_DAY = 86_400
const DAY_MS = 86_400_000
const HEADER = 'h'

const staled = (clusterId: string): LedgerEvent => ({ kind: 'staled', at: 0, clusterId })
const troubled = (role: 'requester' | 'provider'): LedgerEvent => ({
  kind: 'peeringTroubled',
  at: 0,
  id: 'ps',
  requester: 'rome',
  provider: 'paris',
  role,
  trouble: { reason: 'No', message: '' },
})
const posted = (step: 'tenant' | 'grant'): LedgerEvent => ({
  kind: 'peeringPosted',
  at: 0,
  id: 'ps',
  requester: 'rome',
  provider: 'paris',
  step,
  sealed: '',
})
const buried = (requester: string): LedgerEvent => ({
  kind: 'tombstoned',
  at: 0,
  door: 'rest',
  requester,
  requestId: 'r',
})

/** A budget, and batches that are followed one after the other. */
function aBudget(perDay = PER_DAY) {
  const clock = { at: 0 }
  const budget = createJournalBudget(perDay, () => clock.at)
  let index = 0
  const write = (events: readonly LedgerEvent[], lines: readonly string[], header = HEADER) =>
    budget.follow({ index: ++index, at: clock.at, events, text: [header, ...lines].join('\n') })
  return { clock, budget, write, written: () => index }
}

describe('createJournalBudget', () => {
  it('counts for each cluster what its requests have written, and gives it back over a day', () => {
    const { clock, budget, write } = aBudget()
    const line = 'x'.repeat(90_000)

    write([troubled('provider'), staled('oslo'), troubled('requester')], [line, line, 'short'])

    // 90,001 of 86,400: one comes back each second.
    expect(budget.waitSeconds('paris')).toBe(3_601)
    expect([budget.waitSeconds('rome'), budget.waitSeconds('oslo')]).toEqual([undefined, undefined])
    clock.at += 3_602_000
    expect(budget.waitSeconds('paris')).toBeUndefined()
  })

  it('counts what one says in a session for that one alone', () => {
    const { budget, write } = aBudget(10)

    write([posted('grant')], ['x'.repeat(20)])

    expect(budget.waitSeconds('paris')).toBeGreaterThan(0)
    expect(budget.waitSeconds('rome')).toBeUndefined()
  })

  it('counts bytes, not characters, and the header of a batch with the events in it', () => {
    const { budget, write } = aBudget()

    write([posted('grant'), posted('tenant')], ['€'.repeat(30_000), 'x'.repeat(30_000)])
    write([buried('oslo')], ['x'], 'h'.repeat(PER_DAY))

    expect(budget.waitSeconds('paris')).toBe(3_601)
    expect(budget.waitSeconds('rome')).toBeUndefined()
    expect(budget.waitSeconds('oslo')).toBe(2)
  })

  it.each<LedgerEvent>([
    buried('rome'),
    { kind: 'acceptingChanged', at: 0, clusterId: 'rome', accepting: 'cordoned' },
    { kind: 'decommissioned', at: 0, clusterId: 'rome' },
    {
      kind: 'peeringClosed',
      at: 0,
      id: 'ps',
      requester: 'rome',
      provider: 'paris',
      reason: 'Closed',
    },
  ])('counts $kind, of which a cluster can cause as many as it likes', (event) => {
    const { budget, write } = aBudget()

    write([event], ['x'.repeat(90_000)])

    expect(budget.waitSeconds('rome')).toBe(3_602)
  })

  it('leaves a tenth more for releases by request id', () => {
    const { budget, write } = aBudget()
    const wait = () => [budget.waitSeconds('rome'), budget.waitSeconds('rome', 'release')]

    write([buried('rome')], ['x'.repeat(90_000)])
    const first = wait()
    write([buried('rome')], ['x'.repeat(10_000)])

    expect([first, wait()]).toEqual([
      [3_602, undefined],
      [13_604, expect.any(Number)],
    ])
  })

  it('does nothing when it is off', () => {
    const { budget, write } = aBudget(0)

    write([posted('grant')], ['x'.repeat(20)])

    expect(budget.waitSeconds('paris')).toBeUndefined()
    expect(budget.note('ledger-1')).toBeUndefined()
  })
})

describe('a budget that is noted', () => {
  it('goes on where it was, with what came back meanwhile and what was written since', async () => {
    const { budget, write, written } = aBudget()
    write([buried('rome')], ['x'.repeat(90_000)])
    const note = budget.note('ledger-1')
    const later = createJournalBudget(PER_DAY, () => 1_800_000)

    later.recall((await readBudgetNote(note && budgetNoteText(note))) ?? expect.fail())
    const again = { events: [buried('rome')], text: `h\n${'x'.repeat(500)}`, at: 1_800_000 }
    later.follow({ ...again, index: written() })
    later.follow({ ...again, index: written() + 1 })

    // Half an hour later, and only the batch after the note counts.
    expect(later.waitSeconds('rome')).toBe(3_602 - 1_800 + 502)
  })

  it('is not of those who have written little, nor of those whose day is over', () => {
    const { clock, budget, write } = aBudget(1_000_000)
    write([buried('rome')], ['x'.repeat(900)])
    const modest = budget.note('ledger-1')
    write([buried('oslo')], ['x'.repeat(5_000)])
    const heavy = budget.note('ledger-1')
    clock.at += DAY_MS

    expect([modest, budget.note('ledger-1')]).toEqual([undefined, undefined])
    expect(heavy?.spent).toEqual([['oslo', 5_002]])
  })

  it('is of the heaviest, if there are too many', () => {
    const { budget, write } = aBudget(100_000)
    const clusters = Array.from({ length: 6_000 }, (_, n) => buried(`cluster-${n}`))
    write(
      clusters,
      clusters.map((_, n) => 'x'.repeat(200 + n)),
    )

    const { spent = [] } = budget.note('ledger-1') ?? {}

    expect(spent).toHaveLength(5_000)
    expect(spent[0]?.[0]).toBe('cluster-5999')
    expect(spent.at(-1)?.[0]).toBe('cluster-1000')
  })

  it('is passed over where it is damaged', async () => {
    expect(await readBudgetNote('{"ledgerId":')).toBeUndefined()
    expect(await readBudgetNote(undefined)).toBeUndefined()
  })
})
