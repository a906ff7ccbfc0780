import { describe, expect, it } from 'vitest'
import { readPriceList } from './price-list.ts'
import { createWeekClock, tariffAt } from './tariff.ts'

const TARIFFS = `
mon-fri 08:00-20:00 cpu-cost=0.06   # working hours
sat,sun 00:00-24:00 cpu-cost=0.02 gpu-cost=0.90
fri 22:00-06:00 cpu-cost=0.01
`

describe('a price list', () => {
  it('has prices, a currency and tariffs', () => {
    const read = readPriceList({
      'cpu-cost': '0.04',
      currency: 'CHF',
      tariffs: 'daily 0:00-6:00 cpu-cost=0.01',
    })

    expect(read).toEqual({
      kind: 'list',
      list: {
        prices: { cpuCost: '0.04' },
        currency: 'CHF',
        timeZone: 'UTC',
        tariffs: [
          {
            days: [0, 1, 2, 3, 4, 5, 6],
            fromMinute: 0,
            toMinute: 360,
            prices: { cpuCost: '0.01' },
          },
        ],
      },
    })
  })

  it.each([
    { data: { 'cpu-cost': 'dear' }, says: 'cpu-cost: "dear" is not an amount of money' },
    { data: { currency: 'euros' }, says: 'currency is "euros"' },
    { data: { 'time-zone': 'Mars/Olympus' }, says: 'time-zone is "Mars/Olympus"' },
    { data: { tariffs: 'always cheap' }, says: 'tariffs has "always cheap"' },
    { data: { tariffs: 'mon 25:00-26:00 cpu-cost=1' }, says: 'tariffs has "mon 25:00-26:00' },
    { data: { 'cpu-price': '1' }, says: 'cpu-price is unknown' },
  ])('names what is wrong with $data', ({ data, says }) => {
    const read = readPriceList(data as Record<string, string>)

    expect(read.kind === 'bad' ? read.problems.join() : 'accepted').toContain(says)
  })

  it.each([
    { at: '2026-11-16T09:00:00+01:00', is: 'Monday morning', cpuCost: '0.06' },
    { at: '2026-11-16T20:00:00+01:00', is: 'the end of the working day', cpuCost: undefined },
    { at: '2026-11-21T12:00:00+01:00', is: 'Saturday', cpuCost: '0.02' },
    { at: '2026-11-20T23:00:00+01:00', is: 'late on Friday', cpuCost: '0.01' },
    { at: '2026-11-20T07:59:00+01:00', is: 'early on Friday', cpuCost: undefined },
  ])('charges $cpuCost at $is', ({ at, cpuCost }) => {
    const read = readPriceList({ 'time-zone': 'Europe/Rome', tariffs: TARIFFS })
    const tariffs = read.kind === 'list' ? read.list.tariffs : []

    const tariff = tariffAt(tariffs, createWeekClock('Europe/Rome')(Date.parse(at)))

    expect(tariff?.prices.cpuCost).toBe(cpuCost)
  })
})
