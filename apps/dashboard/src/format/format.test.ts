import { describe, expect, it } from 'vitest'
import { describeWanted, formatAmount, formatShare, inReadingOrder } from './amount.ts'
import { formatAgo, formatCountdown } from './moment.ts'
import { formatPrice } from './price.ts'
import { describeRefusals, refusalGrounds } from './refusal.ts'

const GIB = 1024 ** 3

describe('amounts', () => {
  it.each([
    { resource: 'cpu', amount: 500, shown: '0.5 cores' },
    { resource: 'cpu', amount: 1_000, shown: '1 core' },
    { resource: 'cpu', amount: 15_600, shown: '15.6 cores' },
    { resource: 'cpu', amount: 1_240_400, shown: '1,240 cores' },
    { resource: 'memory', amount: 0, shown: '0 GiB' },
    { resource: 'memory', amount: 256 * 1024 ** 2, shown: '256 MiB' },
    { resource: 'memory', amount: 1.5 * GIB, shown: '1.5 GiB' },
    { resource: 'ephemeral-storage', amount: 2_048 * GIB, shown: '2 TiB' },
    { resource: 'nvidia.com/gpu', amount: 8, shown: '8' },
  ])('$amount of $resource reads $shown', ({ resource, amount, shown }) => {
    expect(formatAmount(resource, amount)).toBe(shown)
  })

  it.each([
    { resource: 'memory', part: 0.5 * GIB, whole: 64 * GIB, shown: '0.5 of 64 GiB' },
    { resource: 'memory', part: 685 * GIB, whole: 1_792 * GIB, shown: '685 of 1,792 GiB' },
    { resource: 'memory', part: 0, whole: 1_792 * GIB, shown: '0 of 1.75 TiB' },
    { resource: 'cpu', part: 500, whole: 8_000, shown: '0.5 of 8' },
    { resource: 'nvidia.com/gpu', part: 0, whole: 4, shown: '0 of 4' },
  ])('a share has one unit: $shown', ({ resource, part, whole, shown }) => {
    expect(formatShare(resource, part, whole)).toBe(shown)
  })

  it('a request lists common resources first and names the rest', () => {
    const wanted = { 'acme.io/tape': 3, 'nvidia.com/gpu': 1, memory: 8 * GIB, cpu: 4_000 }

    expect(describeWanted(wanted)).toBe('4 cores · 8 GiB · 1 GPU · 3 acme.io/tape')
  })

  it('each resource comes once', () => {
    expect(inReadingOrder(['memory', 'x', 'cpu', 'memory'])).toEqual(['cpu', 'memory', 'x'])
  })
})

describe('moments', () => {
  it.each([
    { elapsedMs: -500, shown: 'just now' },
    { elapsedMs: 1_999, shown: 'just now' },
    { elapsedMs: 59_999, shown: '59 s ago' },
    { elapsedMs: 660_000, shown: '11 min ago' },
    { elapsedMs: 47 * 3_600_000, shown: '47 h ago' },
    { elapsedMs: 72 * 3_600_000, shown: '3 d ago' },
  ])('$elapsedMs ms back is $shown', ({ elapsedMs, shown }) => {
    expect(formatAgo(elapsedMs)).toBe(shown)
  })

  it.each([
    { remainingMs: -1, shown: '0:00' },
    { remainingMs: 1, shown: '0:01' },
    { remainingMs: 247_000, shown: '4:07' },
    { remainingMs: 600_000, shown: '10:00' },
    { remainingMs: 3_847_000, shown: '1:04:07' },
    { remainingMs: 90_000_000, shown: '1 d 1 h' },
  ])('$remainingMs ms left count down as $shown', ({ remainingMs, shown }) => {
    expect(formatCountdown(remainingMs)).toBe(shown)
  })
})

describe('prices', () => {
  it.each([
    { amount: 0, currency: 'EUR', shown: 'free' },
    { amount: 0.0031, currency: 'EUR', shown: '€0.0031' },
    { amount: 0.003123456, currency: 'EUR', shown: '€0.003123' },
    { amount: 0.0000012, currency: 'EUR', shown: '€0.0000012' },
    { amount: 0.029996432, currency: 'EUR', shown: '€0.030' },
    { amount: 0.031, currency: 'EUR', shown: '€0.031' },
    { amount: 2.1, currency: 'USD', shown: '$2.10' },
    { amount: 1_240, currency: 'credits', shown: '1,240 credits' },
  ])('$amount $currency reads $shown', ({ amount, currency, shown }) => {
    expect(formatPrice(amount, currency)).toBe(shown)
  })
})

describe('refusals', () => {
  it('the most frequent reason comes first, and the requester itself is not listed', () => {
    const refused = { IsRequester: 1, Stale: 1, Insufficient: 3 }

    expect(describeRefusals(refused)).toBe('3 too small, 1 stale')
  })

  it.each([
    { refused: {}, says: 'no cluster to ask' },
    { refused: { IsRequester: 1, NotTheTarget: 6, Insufficient: 1 }, says: '1 too small' },
    { refused: { IsRequester: 1, NotTheTarget: 7 }, says: 'no other cluster is its target' },
  ])('a refused request says why: $says', ({ refused, says }) => {
    expect(refusalGrounds(refused)).toBe(says)
  })
})
