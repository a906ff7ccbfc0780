import { expect, it } from 'vitest'
import { holdsNow, isLive } from './phases.ts'
import type { Phase } from './reservation.ts'

const phases: readonly Phase[] = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']

it('is live until it is over, also while it waits', () => {
  expect(phases.filter(isLive)).toEqual(['Pending', 'Reserved', 'Active'])
})

it('holds capacity while it is reserved or in use, and not while it waits', () => {
  expect(phases.filter(holdsNow)).toEqual(['Reserved', 'Active'])
})

it('never holds anything once it is over', () => {
  expect(phases.filter((phase) => holdsNow(phase) && !isLive(phase))).toEqual([])
})
