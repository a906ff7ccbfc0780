import type { Kind } from './objects.ts'

/** Built-in kinds that this package itself writes. */
export const LEASE: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

export const EVENT: Kind = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

/** Leases and events have times with microseconds. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
