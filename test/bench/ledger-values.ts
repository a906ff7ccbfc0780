import type { Advertisement } from '@bourse/domain/ledger'

const GIB = 1_024n ** 3n
const BILLIONTHS = 10n ** 9n

/** A large cluster with GPUs and prices, a little different from its neighbours. */
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
      currency: 'EUR',
    },
    endpointUrl: `https://cluster-${number}.example.org:6443`,
  }
}
