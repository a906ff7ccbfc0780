import type { Reservation } from '@bourse/contract'

type Told = Readonly<{
  requester?: string
  provider?: string
  cpu?: string
  phase?: Reservation['status']['phase']
  reason?: Reservation['reason']
  expiresAt?: string
  requestId?: string
  index?: number
}>

/** A reservation as a broker tells of it: rome's, on paris, of two cores. */
export function aReservation(id: string, told: Told = {}): Reservation {
  const { requester = 'rome', provider = 'paris', cpu = '2', phase = 'Reserved' } = told
  const { reason, expiresAt, requestId, index = 1 } = told
  return {
    id,
    requesterID: requester,
    targetClusterID: provider,
    requestedResources: { cpu, memory: '4Gi' },
    status: {
      phase,
      message: `${phase} on ${provider}`,
      ...(reason && { reason }),
      ...(expiresAt && { expiresAt }),
    },
    createdAt: '2026-01-01T00:00:00.000Z',
    priority: 0,
    index,
    ...(requestId && { requestId }),
  }
}
