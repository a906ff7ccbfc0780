import { afterAll, beforeAll } from 'vitest'
import { type LiqoCluster, type LiqoClusterOptions, startLiqoCluster } from './liqo-cluster.ts'

const START_WITHIN_MS = 300_000

/** Clusters with Liqo for all tests of a file, or of a `describe`, by id. */
export function useLiqoClusters(
  given: readonly LiqoClusterOptions[],
): (clusterId: string) => LiqoCluster {
  const started = new Map<string, LiqoCluster>()
  beforeAll(async () => {
    const starting = await Promise.allSettled(given.map(startLiqoCluster))
    for (const one of starting) if (one.status === 'fulfilled') started.set(one.value.id, one.value)
    const failed = starting.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }, START_WITHIN_MS)
  afterAll(async () => {
    await Promise.all([...started.values()].map((cluster) => cluster.stop()))
  }, START_WITHIN_MS)

  return (clusterId) => {
    const found = started.get(clusterId)
    if (!found) throw new Error(`${clusterId} runs only while tests do: ask inside of one.`)
    return found
  }
}
