import type { LedgerEvent } from '@bourse/domain/ledger'
import { expect, it } from 'vitest'
import { createFairShare, createJournalBudget } from '../../fair-share/index.ts'
import { createObjectPrice } from './object-price.ts'

const MIB = 1024 * 1024

it('takes the price from the account that requests by REST are paid from', () => {
  const share = createFairShare({ rate: { perSecond: 1, burst: 2 } }, () => 0)
  const price = createObjectPrice(share)

  expect(price('rome', {})).toBeUndefined()
  share.rate.take('rome')

  expect(price('rome', {})).toEqual({
    afterMs: 1_000,
    message: 'rome sends more than its share.',
  })
  expect(price('paris', {})).toBeUndefined()
  expect(share.refused.rate).toBe(1)
})

it('charges a large object more', () => {
  const share = createFairShare({ rate: { perSecond: 1, burst: 100 } }, () => 0)
  const price = createObjectPrice(share)

  price('rome', { labels: 'x'.repeat(64 * 1024) })

  expect(price('rome', { labels: 'x'.repeat(64 * 1024) })?.afterMs).toBeGreaterThan(1_000)
})

it('lets a cluster wait that has written its day of journal', () => {
  const share = createFairShare({ journal: createJournalBudget(MIB, () => 0) }, () => 0)
  const price = createObjectPrice(share)
  const advertised = { kind: 'advertised', clusterId: 'rome' } as LedgerEvent

  const text = `head\n${'x'.repeat(2 * MIB)}`
  share.journal.follow({ index: 1, at: 0, events: [advertised], text })

  expect(price('rome', {})).toEqual({
    // Twice the day's bytes, and a little for the batch around them.
    afterMs: 86_401_000,
    message: 'rome has used its daily share of the journal (--journal-mib-per-day).',
  })
  expect(share.refused.journal).toBe(1)
})
