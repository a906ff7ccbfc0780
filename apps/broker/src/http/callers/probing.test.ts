import { expect, it } from 'vitest'
import { createProbing, type Probe } from './probing.ts'

const probe = (cpu: number, more: Partial<Probe> = {}): Probe => ({
  caller: 'rome',
  target: 'paris',
  wanted: { cpu: BigInt(cpu) },
  ...more,
})

function aProbing() {
  const clock = { at: 0 }
  const limits = { free: 2, periodMs: 60_000, pauseMs: 1_000 }
  return { clock, ...createProbing(() => clock.at, limits) }
}

it('doubles the pause with each new amount beyond the free ones, up to the period', () => {
  const { clock, asked, waitOf } = aProbing()
  const waits: number[] = []

  for (let cpu = 1; cpu <= 12; cpu += 1) {
    clock.at += 1_000 * (waitOf(probe(cpu)) ?? 0)
    asked(probe(cpu))
    waits.push(waitOf(probe(99)) ?? 0)
  }

  // By then 63 s have passed, a period and a bit: the count begins anew.
  expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 0, 0, 1, 2])
})

it('never counts the same amounts twice, nor those of another caller or cluster', () => {
  const { asked, waitOf } = aProbing()

  for (const cpu of [1, 2, 1, 2, 1, 2]) asked(probe(cpu))
  asked(probe(3, { caller: 'athens' }))
  asked(probe(3, { target: 'berlin' }))
  asked(probe(3, { target: undefined }))
  expect(waitOf(probe(3))).toBeUndefined()

  asked(probe(3))
  expect(waitOf(probe(4))).toBe(1)
  expect(waitOf(probe(3))).toBeUndefined()
})

it('charges trials with real reservations twice as much each time, up to a second of work', () => {
  const { tried } = aProbing()

  const charged = Array.from({ length: 15 }, (_, at) => tried(probe(at + 1)))

  expect(charged).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000, 1_000, 1_000])
})
