import type { Kind } from './objects.ts'

/** Kinds of every cluster that the toolkit itself writes. */
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

/** Times of leases and events have microseconds. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
