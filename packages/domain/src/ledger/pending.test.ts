import { expect, it } from 'vitest'
import { settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { type Command, createLedger, type LedgerImage, partsOf, type Reservation } from './index.ts'

/** All that paris has, if it held anything. */
const waiting: Reservation = {
  id: 'rsv-l-1',
  requester: 'rome',
  door: 'rest',
  requestId: 'job',
  fingerprint: 'body',
  wanted: { cpu: 8_000n },
  priority: 0,
  legs: [{ clusterId: 'paris', resources: { cpu: 8_000n } }],
  phase: 'Pending',
  createdAt: 0,
  startsAt: 0,
  expiresAt: 60_000,
  decidedIndex: 1,
  changedIndex: 1,
}
const cluster = {
  clusterId: 'paris',
  door: 'rest',
  advertisement: supplyOf({ cpu: 8_000n }),
  isStale: false,
  accepting: 'open',
  changedAt: 0,
} as const
const image: LedgerImage = {
  ledgerId: 'l',
  lastNumber: 1,
  lastAt: 0,
  clusters: [{ cluster, advertisedAt: 0 }],
  requesters: [],
  reservations: [waiting],
  draining: [],
  tombstones: [],
  peerings: [],
}
const everything: Command = {
  kind: 'reserve',
  door: 'rest',
  requester: 'oslo',
  wanted: { cpu: 8_000n },
  priority: 0,
}

function aLedger() {
  const ledger = createLedger(settings)
  for (const part of partsOf(image)) ledger.load(part)
  const at = (now: number, command: Command) => ledger.execute(command, { now, index: 2 }).outcome
  return { ledger, at }
}

it('a reservation that waits is live: listed, counted and known by its request id', () => {
  const { ledger, at } = aLedger()

  expect([...ledger.reservations()]).toEqual([waiting])
  expect([...ledger.requestedBy('rome')]).toEqual([waiting])
  expect(ledger.liveCount).toBe(1)
  const again = { requester: 'rome', requestId: 'job', fingerprint: 'body' }
  expect(at(1, { ...everything, ...again })).toEqual({ kind: 'known', reservation: waiting })
})

it('a reservation that waits holds nothing: others get all that there is', () => {
  const { ledger, at } = aLedger()

  expect([...ledger.heldOn('paris')]).toEqual([])
  expect(ledger.standing('paris')).toMatchObject({
    reserved: {},
    available: { cpu: 8_000n },
    liveCount: 0,
  })
  expect(at(1, everything)).toMatchObject({ kind: 'reserved', reservation: { requester: 'oslo' } })
})

it('a reservation that waits is not a reason to peer', () => {
  const { at } = aLedger()
  const pair = { requester: 'rome', provider: 'paris', networking: 'wireguard' } as const

  expect(at(1, { kind: 'openPeering', id: 'p', hello: '{}', ...pair }).kind).toBe('noReservation')
})

it.each([
  ['is released', { kind: 'release', id: waiting.id }, 1],
  ['expires', { kind: 'tick' }, 60_000],
] as const)('a reservation that %s while it waits gives back nothing', (_, command, now) => {
  const { ledger, at } = aLedger()

  at(now, command)

  expect(ledger.liveCount).toBe(0)
  expect(ledger.reservation(waiting.id)?.phase).toBe('Released')
  expect(ledger.standing('paris')?.available).toEqual({ cpu: 8_000n })
})
