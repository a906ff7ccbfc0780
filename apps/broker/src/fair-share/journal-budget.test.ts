import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { createJournalBudget } from './journal-budget.ts'

const staled = (clusterId: string): LedgerEvent => ({ kind: 'staled', at: 0, clusterId })
const troubled = (role: 'requester' | 'provider'): LedgerEvent => ({
  ...{ kind: 'peeringTroubled', at: 0, id: 'ps', requester: 'rome', provider: 'paris', role },
  trouble: { reason: 'No', message: '' },
})
const posted = (step: 'tenant' | 'grant'): LedgerEvent => ({
  ...{ kind: 'peeringPosted', at: 0, id: 'ps', requester: 'rome', provider: 'paris', step },
  sealed: '',
})

describe('createJournalBudget', () => {
  it('counts for each cluster what its requests have written, and gives it back over a day', () => {
    const clock = { at: 0 }
    const budget = createJournalBudget(86_400, () => clock.at)
    const line = 'x'.repeat(90_000)

    budget.follow({
      events: [troubled('provider'), staled('oslo'), troubled('requester')],
      text: `header\n${line}\n${line}\nshort`,
    })

    // 90,000 of 86,400: one comes back each second.
    expect(budget.waitSeconds('paris')).toBe(3_600)
    expect([budget.waitSeconds('rome'), budget.waitSeconds('oslo')]).toEqual([undefined, undefined])
    clock.at += 3_601_000
    expect(budget.waitSeconds('paris')).toBeUndefined()
  })

  it('counts what one says in a session for that one alone', () => {
    const budget = createJournalBudget(10, () => 0)

    budget.follow({ events: [posted('grant')], text: `header\n${'x'.repeat(20)}` })

    expect(budget.waitSeconds('paris')).toBeGreaterThan(0)
    expect(budget.waitSeconds('rome')).toBeUndefined()
  })

  it('does nothing when it is off', () => {
    const budget = createJournalBudget(0, () => 0)

    budget.follow({ events: [posted('grant')], text: `header\n${'x'.repeat(20)}` })

    expect(budget.waitSeconds('paris')).toBeUndefined()
  })
})
