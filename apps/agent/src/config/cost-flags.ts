import { currency, flagsUnder, onOff } from '@bourse/daemon/settings'
import { objectName, price } from './kinds.ts'

/** Prices of this cluster. */
export const costFlags = flagsUnder('Cost', {
  cpuCost: { kind: price, help: 'Price of a core-hour', example: '0.04' },
  memoryCost: { kind: price, help: 'Price of a GiB-hour', example: '0.005' },
  gpuCost: { kind: price, help: 'Price of a GPU-hour', example: '1.95' },
  currency: { kind: currency, default: 'EUR', help: 'Currency of the prices' },
  costConfigmap: {
    kind: objectName,
    help: 'A ConfigMap with prices and tariffs, followed live; wins over the flags',
    example: 'bourse-system/prices',
  },
  costFromNodes: {
    kind: onOff,
    default: 'false',
    help: 'Average prices from node labels bourse.dev/cpu-cost, memory-cost, gpu-cost',
  },
})
