import type { ReservationStatus } from '@bourse/contract/kinds'
import { describe, expect, it } from 'vitest'
import { type Leftovers, mirroredReservations, mirroredSupply, refusalBeside } from './adoption.ts'

const HOUR_MS = 3_600_000
const limits = { maxDurationMs: 24 * HOUR_MS }

function aGrant(name: string, status: ReservationStatus): Leftovers['reservations'][number] {
  return {
    apiVersion: 'broker.fluidos.eu/v1alpha1',
    kind: 'Reservation',
    metadata: { name, namespace: 'default' },
    spec: {
      requesterID: 'rome',
      requestedResources: { cpu: '2' },
      duration: '9h',
      priority: 0,
      targetClusterID: 'paris',
    },
    status: { phase: 'Reserved', ...status },
  }
}
const rest: Leftovers['clusters'][number] = {
  apiVersion: 'broker.fluidos.eu/v1alpha1',
  kind: 'ClusterAdvertisement',
  metadata: { name: 'rest-paris', namespace: 'default' },
  spec: { clusterID: 'paris', resources: { capacity: { cpu: '10' } } },
  status: { phase: 'Active', ledgerID: 'lost' },
}

describe('a new ledger', () => {
  it('may begin beside nothing', () => {
    expect(refusalBeside({ reservations: [], clusters: [] })).toBeUndefined()
  })

  it('refuses to begin beside what others left, and says what to do', () => {
    const reservations = ['a', 'b', 'c', 'd'].map((name) => aGrant(name, {}))

    const refusal = refusalBeside({ reservations, clusters: [rest] })

    expect(refusal).toBe(
      'The journal is empty, but there are objects of another broker and the ledger lost: ' +
        'Reservation default/a, Reservation default/b, Reservation default/c and 2 more. Give the ' +
        'broker the journal that they belong to, or start it with --adopt to take them over.',
    )
  })
})

describe('what was mirrored for a ledger that is lost', () => {
  it('is supply by REST again until the agents return', () => {
    expect(mirroredSupply({ reservations: [], clusters: [rest] })).toMatchObject([
      { command: { kind: 'advertise', door: 'rest', clusterId: 'paris' } },
    ])
  })

  it('is held where it was for the time that is left, asked for by its old id', () => {
    const expiresAt = new Date(HOUR_MS).toISOString()
    const reservations = [
      aGrant('rsv-lost-1', { expiresAt, phase: 'Active' }),
      aGrant('rsv-lost-2', { expiresAt: new Date(-1).toISOString() }),
      aGrant('made-by-hand', {}),
    ]

    const commands = mirroredReservations({ reservations, clusters: [] }, { now: 0, limits })

    expect(commands).toMatchObject([
      {
        command: {
          door: 'rest',
          requester: 'rome',
          requestId: 'adopted rsv-lost-1',
          pinned: 'paris',
          durationMs: HOUR_MS,
          isHeldAlready: true,
        },
        wasActive: true,
      },
    ])
  })
})
