import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration, withoutDays } from './duration.ts'

describe('parseDuration', () => {
  it.each([
    { text: '1h30m', durationMs: 5_400_000 },
    { text: '90s', durationMs: 90_000 },
    { text: '1.5h', durationMs: 5_400_000 },
    { text: '+.5s', durationMs: 500 },
    { text: '100ms', durationMs: 100 },
    { text: '1m1m', durationMs: 120_000 },
    { text: '720h', durationMs: 2_592_000_000 }, // 30 days
    { text: '7d', durationMs: 604_800_000 },
    { text: '1d12h', durationMs: 129_600_000 },
    { text: '1000µs', durationMs: 1 },
    { text: '1ns', durationMs: 1 }, // rounds up: a positive duration never becomes none
    { text: '0.1ns', durationMs: 1 },
    { text: '0s', durationMs: 0 },
    { text: '0', durationMs: 0 },
  ])('reads $text as $durationMs ms', ({ text, durationMs }) => {
    expect(parseDuration(text)).toEqual({ kind: 'ok', durationMs })
  })

  it.each([
    { text: '', reason: 'missing' },
    { text: '-1h', reason: 'is negative' },
    { text: '1y', reason: 'unknown unit "y"' },
    { text: '1w', reason: 'unknown unit "w"' },
    { text: '1H', reason: 'unknown unit "H"' },
    { text: '60', reason: 'lacks a unit' },
    { text: '1h30', reason: 'lacks a unit' },
    { text: 'h', reason: 'is not a duration' },
    { text: '.h', reason: 'is not a duration' },
    { text: '+', reason: 'is not a duration' },
    { text: 'soon', reason: 'is not a duration' },
    { text: '1.2.3s', reason: 'lacks a unit' },
    { text: '1h 30m', reason: 'unknown unit "h "' },
    { text: '9000000h', reason: '292 years' },
    { text: '1'.repeat(65), reason: 'longer than 64 characters' },
  ])('refuses $text: $reason', ({ text, reason }) => {
    expect(parseDuration(text)).toEqual({ kind: 'bad', reason: expect.stringContaining(reason) })
  })
})

describe('formatDuration', () => {
  it.each([
    { durationMs: 5_400_000, text: '1h30m' },
    { durationMs: 3_600_000, text: '1h' },
    { durationMs: 90_000, text: '1m30s' },
    { durationMs: 3_600_500, text: '1h0.5s' },
    { durationMs: 1_500, text: '1.5s' },
    { durationMs: 100, text: '100ms' },
    { durationMs: 0, text: '0s' },
  ])('prints $durationMs ms as $text', ({ durationMs, text }) => {
    expect(formatDuration(durationMs)).toBe(text)
  })

  it('prints what reads as the same duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 42 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toEqual({ kind: 'ok', durationMs })
      }),
    )
  })
})

it.each([
  ['7d', '168h'],
  ['1d30m', '24h30m'],
  ['90m', '90m'],
  ['a day', 'a day'],
])('Go reads %s as %s', (text, without) => {
  expect(withoutDays(text)).toBe(without)
})
