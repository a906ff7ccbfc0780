import type { StreamEvent } from '@bourse/contract'
import { expect, it } from 'vitest'
import { aReservation } from '../../fixtures/samples.ts'
import { createPaint } from '../terminal/colours.ts'
import { createEventView, eventView } from './event-view.ts'

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

it('tells what has changed since a cluster last advertised', () => {
  const advertised = (cpu: string, allocated: string): StreamEvent => ({
    kind: 'cluster',
    change: 'advertised',
    index: 7,
    at: activated.at,
    clusterID: 'paris',
    resources: { capacity: { cpu }, allocatable: { cpu }, allocated: { cpu: allocated } },
  })
  const viewOf = createEventView()
  const lines = [advertised('16', '2'), advertised('16', '3500m'), advertised('16', '3500m')].map(
    (event) => viewOf(event)(look).slice(22),
  )

  expect(lines).toEqual([
    'paris  16 cpu allocatable',
    'paris  allocated cpu 2 → 3.5',
    'paris  other facts',
  ])
})
