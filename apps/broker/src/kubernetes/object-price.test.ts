import type { LedgerEvent } from '@bourse/domain/ledger'
import { expect, it } from 'vitest'
import { createFairShare } from '../fair-share/index.ts'
import { createObjectPrice } from './object-price.ts'

const MIB = 1024 * 1024

it('takes the price from the account that requests by REST are paid from', () => {
  const share = createFairShare({ rate: { perSecond: 1, burst: 2 } }, () => 0)
  const price = createObjectPrice(share)

  expect(price('rome', {})).toBeUndefined()
  share.rate.take('rome')

  expect(price('rome', {})).toEqual({
    ...{ afterMs: 1_000, message: 'rome sends more than its share.' },
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
  const share = createFairShare({ journalBytesPerDay: MIB }, () => 0)
  const price = createObjectPrice(share)
  const advertised = { kind: 'advertised', clusterId: 'rome' } as LedgerEvent

  share.journal.follow({ events: [advertised], text: `head\n${'x'.repeat(2 * MIB)}` })

  expect(price('rome', {})).toEqual({
    afterMs: 86_400_000,
    message: 'rome has written as much as a cluster may in a day: --journal-mib-per-day.',
  })
  expect(share.refused.journal).toBe(1)
})
