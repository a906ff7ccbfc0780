import { describe, expect, it } from 'vitest'
import { bandOf, baseScoreOf, formatScore } from './base-score.ts'

const GIB = 2n ** 30n

describe('baseScoreOf', () => {
  it.each([
    { name: '10 of 15 cpu, 20 of 30 GiB', cpu: [10n, 15n], memory: [20n, 30n], score: '66.67' },
    { name: '5 of 7 cpu, 10 of 14 GiB', cpu: [5n, 7n], memory: [10n, 14n], score: '71.43' },
    { name: 'all free', cpu: [4n, 4n], memory: [8n, 8n], score: '100.00' },
    { name: 'all taken', cpu: [0n, 4n], memory: [0n, 8n], score: '0.00' },
    { name: 'half of the cpu, memory owed', cpu: [2n, 4n], memory: [-8n, 8n], score: '25.00' },
    { name: 'no supply at all', cpu: [0n, 0n], memory: [0n, 0n], score: '0.00' },
  ] as const)('$name: $score', ({ cpu, memory, score }) => {
    const available = { cpu: cpu[0] * 1000n, memory: memory[0] * GIB }
    const allocatable = { cpu: cpu[1] * 1000n, memory: memory[1] * GIB }

    expect(formatScore(baseScoreOf(allocatable, available))).toBe(score)
  })
})

it.each([
  { score: 100, band: 'excellent' },
  { score: 89.995, band: 'excellent' }, // reads 90.00
  { score: 89.99, band: 'good' },
  { score: 70, band: 'good' },
  { score: 69.99, band: 'moderate' },
  { score: 50, band: 'moderate' },
  { score: 49.99, band: 'limited' },
  { score: 0, band: 'limited' },
])('$score is $band', ({ score, band }) => {
  expect(bandOf(score)).toBe(band)
})
