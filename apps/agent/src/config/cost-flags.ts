import { currency, type FlagTable, onOff } from '@bourse/daemon/settings'
import { objectName, price } from './kinds.ts'

/** Prices of this cluster. */
export const costFlags = {
  cpuCost: {
    name: 'cpu-cost',
    kind: price,
    help: 'Price of a core-hour',
    example: '0.04',
    group: 'Cost',
  },
  memoryCost: {
    name: 'memory-cost',
    kind: price,
    help: 'Price of a GiB-hour',
    example: '0.005',
    group: 'Cost',
  },
  gpuCost: {
    name: 'gpu-cost',
    kind: price,
    help: 'Price of a GPU-hour',
    example: '1.95',
    group: 'Cost',
  },
  currency: {
    name: 'currency',
    kind: currency,
    default: 'EUR',
    help: 'Currency of the prices',
    group: 'Cost',
  },
  costConfigmap: {
    name: 'cost-configmap',
    kind: objectName,
    help: 'A ConfigMap with prices and tariffs, followed live; wins over the flags',
    example: 'bourse-system/prices',
    group: 'Cost',
  },
  costFromNodes: {
    name: 'cost-from-nodes',
    kind: onOff,
    default: 'false',
    help: 'Average prices from node labels bourse.dev/cpu-cost, memory-cost, gpu-cost',
    group: 'Cost',
  },
} as const satisfies FlagTable
