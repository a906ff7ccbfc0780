import { defaultPolicy } from '../placement/index.ts'
import type { Resources } from '../quantity/index.ts'
import type { Advertisement, Command, LedgerSettings } from './index.ts'

/** As a broker has them by default. */
export const settings: LedgerSettings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
}

/** A cluster that has so much, all of it free. */
export function supplyOf(all: Resources, clusterName = 'paris'): Advertisement {
  return { clusterName, capacity: all, allocatable: all, allocated: {}, used: {} }
}

export function advertise(clusterId: string, advertisement: Advertisement): Command {
  return { kind: 'advertise', door: 'rest', clusterId, advertisement }
}
