import type { Advertisement, Cluster, Reservation } from '@bourse/domain/ledger'
import type { DecisionSummary } from '@bourse/domain/placement'

/** Values for ledgers that are built without a broker: alike, yet no two quite the same. */

const MIB = 1_024n ** 2n
const GIB = 1_024n ** 3n
const BILLIONTHS = 10n ** 9n
const HOUR_MS = 3_600_000
const CLUSTERS = 1_000
const REQUESTERS = 500
/** Sizes that people ask for repeat themselves. */
const SIZES = Array.from({ length: 24 }, (_, size) => ({
  cpu: 10n * BigInt(1 + size),
  memory: 16n * MIB * BigInt(1 + (size % 8)),
}))

/** Of ledgers that are built here; ids of reservations carry its beginning. */
export const LEDGER_ID = 'bench0000000000000000000000000000'

/** A large cluster with GPUs and prices. */
export function anAdvertisement(number: number): Advertisement {
  const cores = 2_000n + 500n * BigInt(number % 7)
  const supply = { cpu: 1_000n * cores, memory: 4n * cores * GIB, 'nvidia.com/gpu': 4_000n }
  return {
    clusterName: `Cluster ${number}`,
    capacity: supply,
    allocatable: supply,
    allocated: { cpu: 1_000n * BigInt(number % 97), memory: 16n * GIB },
    used: {},
    cost: {
      cpu: (BILLIONTHS * BigInt(1 + (number % 9))) / 100n,
      memory: BILLIONTHS / 250n,
      gpu: BILLIONTHS * BigInt(1 + (number % 3)),
      currency: 'USD',
    },
    endpointUrl: `https://cluster-${number}.example.org:6443`,
  }
}

export function aCluster(number: number, at: number): Cluster {
  return {
    clusterId: `provider-${number}`,
    door: 'rest',
    advertisement: anAdvertisement(number),
    accepting: 'open',
    isStale: false,
    changedAt: at,
  }
}

/** The same number always makes the same reservation; its id tells the number. */
export function aReservation(number: number, at: number): Reservation {
  const wanted = SIZES[number % SIZES.length] ?? {}
  return {
    id: `rsv-${LEDGER_ID.slice(0, 5)}-${number.toString(36)}`,
    requester: `requester-${number % REQUESTERS}`,
    door: 'rest',
    requestId: `job-${number.toString(16).padStart(12, '0')}-of-a-workload`,
    fingerprint: `fingerprint-of-43-characters-as-sha256-${String(number % SIZES.length).padStart(4, '0')}`,
    wanted,
    priority: 0,
    legs: [{ clusterId: `provider-${number % CLUSTERS}`, resources: wanted }],
    phase: 'Reserved',
    createdAt: at,
    startsAt: at,
    // None of them falls due while it is measured.
    expiresAt: at + 24 * HOUR_MS + (number % HOUR_MS),
    price: { perHour: BILLIONTHS / BigInt(10 + (number % 90)), currency: 'USD' },
    decidedIndex: 1,
    changedIndex: 1,
  }
}

export function aDecision(number: number): DecisionSummary {
  const best = Array.from({ length: 5 }, (_, place) => ({
    clusterId: `provider-${(number + place) % CLUSTERS}`,
    score: 90 - place,
    parts: { resources: 91.25 - place, cost: 87.5 - place },
  }))
  return { policy: 'resources=70,cost=30', best, refused: { Insufficient: number % 7 } }
}
