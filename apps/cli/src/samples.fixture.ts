import type { Reservation } from '@bourse/contract'

/** Two CPU on paris for rome, as a broker answers; a test names only what matters to it. */
export function aReservation(more: Partial<Reservation> = {}): Reservation {
  return {
    id: 'rsv-1',
    requesterID: 'rome',
    targetClusterID: 'paris',
    requestedResources: { cpu: '2' },
    status: { phase: 'Reserved', message: 'held' },
    createdAt: '2026-11-15T00:00:00Z',
    priority: 0,
    index: 7,
    ...more,
  }
}
