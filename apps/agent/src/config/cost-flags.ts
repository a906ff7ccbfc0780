import { currency, inGroup, onOff } from '@bourse/daemon/settings'
import { objectName, price } from './kinds.ts'

/** Prices of this cluster. */
export const costFlags = inGroup('Cost', {
  cpuCost: {
    name: 'cpu-cost',
    kind: price,
    help: 'Price of a core-hour',
    example: '0.04',
  },
  memoryCost: {
    name: 'memory-cost',
    kind: price,
    help: 'Price of a GiB-hour',
    example: '0.005',
  },
  gpuCost: {
    name: 'gpu-cost',
    kind: price,
    help: 'Price of a GPU-hour',
    example: '1.95',
  },
  currency: {
    name: 'currency',
    kind: currency,
    default: 'EUR',
    help: 'Currency of the prices',
  },
  costConfigmap: {
    name: 'cost-configmap',
    kind: objectName,
    help: 'A ConfigMap with prices and tariffs, followed live; wins over the flags',
    example: 'bourse-system/prices',
  },
  costFromNodes: {
    name: 'cost-from-nodes',
    kind: onOff,
    default: 'false',
    help: 'Average prices from node labels bourse.dev/cpu-cost, memory-cost, gpu-cost',
  },
})
