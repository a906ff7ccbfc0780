import { expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { toReservation } from './reservation-reply.ts'

const shaky = () => ({ isStale: true, withdrawnAt: 5_000 })

it('what a silent, withdrawing provider holds is in doubt and ends early', () => {
  const { status } = toReservation(aReservation('rsv-l-1'), shaky)

  expect(status).toMatchObject({ inDoubt: true, expiresAt: '1970-01-01T00:00:05.000Z' })
})

it('what waits holds nothing that could be in doubt or be withdrawn', () => {
  const { status } = toReservation(aReservation('rsv-l-1', { phase: 'Pending' }), shaky)

  expect(status).toEqual({ phase: 'Pending', message: 'Waiting for capacity' })
})
