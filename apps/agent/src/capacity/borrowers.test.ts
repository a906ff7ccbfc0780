import { describe, expect, it } from 'vitest'
import { usedByReservation } from './borrowers.ts'

const plenty = { cpu: 100_000n, memory: 1_000n }
const used = new Map([
  [
    'rome',
    new Map([
      ['cpu', 5_000n],
      ['memory', 10n],
    ]),
  ],
])
const r1 = { reservation: 'r1', resources: { cpu: 2_000n, memory: 20n } }
const r2 = { reservation: 'r2', resources: { cpu: 1_000n } }

describe('usedByReservation', () => {
  it('gives all to the one reservation that has the user to itself', () => {
    expect(usedByReservation(used, () => [r1], plenty)).toEqual(
      new Map([['r1', { cpu: 5_000n, memory: 10n }]]),
    )
  })

  it('fills the oldest first where several share a user; what is over goes to the youngest', () => {
    expect(usedByReservation(used, () => [r1, r2], plenty)).toEqual(
      new Map([
        ['r1', { cpu: 2_000n, memory: 10n }],
        ['r2', { cpu: 3_000n }],
      ]),
    )
  })

  it('gives nothing to a user without a reservation', () => {
    expect(usedByReservation(used, () => [], plenty)).toEqual(new Map())
  })

  it('adds up the users of one reservation', () => {
    const two = new Map([...used, ['rome-too', new Map([['cpu', 1_000n]])]])

    expect(usedByReservation(two, () => [r1], plenty)).toEqual(
      new Map([['r1', { cpu: 6_000n, memory: 10n }]]),
    )
  })

  it('never tells more than there is, nor what the nodes do not have', () => {
    expect(usedByReservation(used, () => [r1], { cpu: 4_000n })).toEqual(
      new Map([['r1', { cpu: 4_000n }]]),
    )
  })
})
