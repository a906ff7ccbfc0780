import { describe, expect, it } from 'vitest'
import { relativeTime, shortDuration } from './relative-time.ts'

describe('shortDuration', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [1_000, '1s'],
    [59_000, '59s'],
    [61_000, '1m1s'],
    [3_599_800, '1h'], // an hour that has just begun
    [3_540_000, '59m'],
    [5_400_000, '1h30m'],
    [86_400_000, '1d'],
    [90_000_000, '1d1h'],
    [31_535_999_000, '365d'],
  ])('%i ms is %s', (ms, text) => {
    expect(shortDuration(ms)).toBe(text)
  })
})

describe('relativeTime', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')

  it.each([
    ['2026-11-15T12:59:00Z', 'in 59m'],
    ['2026-11-15T11:57:00Z', '3m ago'],
    ['2026-11-15T12:00:00Z', 'now'],
    [undefined, ''],
    ['not a moment', ''],
  ])('%s is %s', (moment, text) => {
    expect(relativeTime(moment, now)).toBe(text)
  })
})
