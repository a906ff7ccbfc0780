import type { StreamEvent } from '@bourse/contract'
import { expect, it } from 'vitest'
import { aReservation } from '../samples.fixture.ts'
import { createPaint } from '../terminal/colours.ts'
import { eventView } from './event-view.ts'

const look = { paint: createPaint(false), isWide: false, now: Date.parse('2026-11-15T12:00:00Z') }

const activated: Extract<StreamEvent, { kind: 'reservation' }> = {
  kind: 'reservation',
  change: 'activated',
  index: 7,
  at: '2026-11-15T11:59:59Z',
  reservation: aReservation({
    status: { phase: 'Active', message: '', expiresAt: '2026-11-15T12:01:24Z' },
  }),
}

it('tells when a reservation ends that still lives', () => {
  expect(eventView(activated)(look)).toBe(
    '11:59:59  activated   rsv-1  rome → paris  2 cpu  (expires in 1m24s)',
  )
})

it('promises no end to what has ended', () => {
  const { reservation } = activated
  const status = { ...reservation.status, phase: 'Released', endedAt: activated.at } as const
  const drained = { ...activated, change: 'drained', reservation: { ...reservation, status } }

  expect(eventView(drained as StreamEvent)(look)).toBe(
    '11:59:59  drained     rsv-1  rome → paris  2 cpu',
  )
})

it('names the actor, and the reason', () => {
  const signed = { ...activated, by: 'operator:ana@rest', why: 'maintenance of rack 7' }

  expect(eventView(signed)(look)).toMatch(/ {2}by operator:ana@rest: maintenance of rack 7$/)
})
