import {
  type AgentObjects,
  type Federation,
  type FederationOptions,
  objectsOf,
  startFederation,
} from '@bourse/testkit/federation'
import { afterAll, beforeAll } from 'vitest'

const START_WITHIN_MS = 300_000

/** One federation for all tests of a file, with a look into each cluster. */
export function useFederation(given: FederationOptions | (() => FederationOptions)) {
  const objects = new Map<string, AgentObjects>()
  let started: Federation | undefined
  beforeAll(async () => {
    // What a cluster of the test's own tells is known only when that runs.
    const options = typeof given === 'function' ? given() : given
    started = await startFederation(options)
    for (const id of options.clusters)
      objects.set(id, await objectsOf(started.cluster(id).controlPlane.adminKubeconfig))
  }, START_WITHIN_MS)
  afterAll(async () => {
    await Promise.all([...objects.values()].map(({ client }) => client.close()))
    await started?.dispose()
  }, START_WITHIN_MS)

  function federation(): Federation {
    if (!started) throw new Error('The federation runs only while tests do: ask inside of one.')
    return started
  }
  return {
    federation,
    /** The objects in the cluster of this id. */
    inCluster(id: string): AgentObjects {
      const found = objects.get(id)
      if (!found) throw new Error(`${id} is not in this federation.`)
      return found
    },
  }
}
