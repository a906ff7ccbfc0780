import type { Kind } from './objects.ts'

const V1 = { version: 'v1', namespaced: true } as const

/** Built-in kinds that this package itself writes. */
export const LEASE: Kind = { ...V1, group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' }
export const EVENT: Kind = { ...V1, group: 'events.k8s.io', plural: 'events', kind: 'Event' }

/** Leases and events have times with microseconds. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
