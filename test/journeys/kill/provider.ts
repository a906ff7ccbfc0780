import { anAdvertisement, type Chance } from '@bourse/testkit'
import type { Acknowledged } from './acknowledged.ts'
import type { Act, Caller } from './load.ts'

/** What every provider has; `account` holds the broker to it. */
const CAPACITY = { cpu: '24', memory: '96Gi', gpu: '4' }

/** A provider that changes its price now and then, and confirms what it has seen. */
export function createProvider(
  { clusterId, client }: Caller,
  acknowledged: Acknowledged,
  chance: Chance,
): Act {
  let seenIndex = 0

  return async () => {
    const cpuCost = `0.0${chance.between(1, 9)}`
    const published = await client.publishAdvertisement(
      anAdvertisement(clusterId, CAPACITY, {
        seenIndex,
        cost: { cpuCost, memoryCost: '0.005', gpuCost: '1', currency: 'USD' },
      }),
    )
    acknowledged.heard(published)
    const { index = 0 } = await client.fetchInstructions()
    seenIndex = Math.max(seenIndex, index)
  }
}
