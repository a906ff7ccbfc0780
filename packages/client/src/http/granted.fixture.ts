/** What rome asks for, and what a broker answers. */
export const RESERVATION = {
  id: 'rsv-1',
  requesterID: 'rome',
  targetClusterID: 'paris',
  requestedResources: { cpu: '2' },
  status: { phase: 'Reserved', message: '' },
  createdAt: '2026-11-15T00:00:00Z',
}
export const WANTED = { requestedResources: { cpu: '2' } }
