import type { PeeringSession } from '@bourse/contract'

/** An open session in which rome asks paris for a tunnel, too. */
export function aSession(more: Partial<PeeringSession> = {}): PeeringSession {
  return {
    id: 'ps-b',
    requesterID: 'rome',
    providerID: 'paris',
    networking: 'wireguard',
    state: 'open',
    messages: {},
    steps: {},
    openedAt: '2026-01-01T00:00:05.000Z',
    ...more,
  }
}
