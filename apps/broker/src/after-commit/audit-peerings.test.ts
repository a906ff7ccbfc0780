import type { LedgerImage, PeeringSession } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../fixtures/store/samples/journal-samples.ts'
import { createPeeringAudit } from './audit-peerings.ts'

const held = { ...aReservation('rsv-1'), requester: 'rome', phase: 'Reserved' } as const
const provider = held.legs[0]?.clusterId ?? ''
const session: PeeringSession = {
  id: 'ps-1',
  requester: 'rome',
  provider,
  networking: 'none',
  state: 'established',
  messages: {},
  postedAt: {},
  trouble: {},
  openedAt: 0,
}
const image: LedgerImage = {
  ledgerId: 'test',
  lastNumber: 0,
  lastAt: 0,
  clusters: [],
  requesters: [],
  reservations: [],
  draining: [],
  tombstones: [],
  peerings: [],
}

describe('a recount of peering sessions', () => {
  it.each([
    { name: 'an established one stays while its pair has a reservation', seen: [held], says: [] },
    {
      name: 'an established one may not stay without',
      seen: [],
      says: [/^ps-1: .* rome with .* has no end, and a recount finds nothing to keep it\.$/],
    },
    {
      name: 'a reservation that has ended keeps nothing',
      seen: [{ ...held, phase: 'Released' as const }],
      says: [/finds nothing to keep it/],
    },
    {
      name: 'a reservation that waits keeps nothing',
      seen: [{ ...held, phase: 'Pending' as const }],
      says: [/finds nothing to keep it/],
    },
    {
      name: 'the reservation of another requester keeps nothing',
      seen: [{ ...held, requester: 'oslo' }],
      says: [/finds nothing to keep it/],
    },
    {
      name: 'one with a reservation may not be about to end',
      seen: [held],
      ends: { expiresAt: 7 },
      says: [/is about to end, and a recount finds a live reservation\.$/],
    },
    {
      name: 'an open one ends by its own words',
      seen: [held],
      ends: { expiresAt: 7, state: 'open' as const },
      says: [],
    },
  ])('$name', ({ seen, says, ends = {} }) => {
    const audit = createPeeringAudit({ ...image, peerings: [{ ...session, ...ends }] })

    for (const one of seen) audit.count(one)

    expect([...audit.findings()]).toEqual(says.map((one) => expect.stringMatching(one)))
  })
})
