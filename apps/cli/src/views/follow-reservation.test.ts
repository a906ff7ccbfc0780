import type { Reservation } from '@bourse/contract'
import { expect, it } from 'vitest'
import type { Broker } from '../connection/with-broker.ts'
import { follow } from './follow-reservation.ts'

const ended: Reservation = {
  ...{ id: 'rsv-1', requesterID: 'rome', targetClusterID: 'paris', priority: 0, index: 7 },
  requestedResources: { cpu: '2' },
  status: { phase: 'Released', message: '', endedAt: '2026-11-15T01:00:00Z' },
  createdAt: '2026-11-15T00:00:00Z',
}

it('does not wait for a change of what has ended', async () => {
  const asked: string[] = []
  const broker: Pick<Broker, 'watchReservation'> = {
    async *watchReservation(id) {
      asked.push(id)
      yield { reservation: ended, index: 7 }
    },
  }
  const terminal = {
    ...{ out() {}, note() {}, env: {}, isColourful: false, now: Date.now },
    signal: new AbortController().signal,
  }

  await follow(broker, ended, { terminal, output: 'json' })

  expect(asked).toEqual([])
})
