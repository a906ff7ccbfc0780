import { aNode } from '../control-plane/builders.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { type Liqo, type LiqoOptions, startLiqo } from './liqo.ts'
import { liqoDefinitions } from './liqo-manifests.ts'

export type LiqoClusterOptions = LiqoOptions &
  Readonly<{
    /** What its one node has; 8 cores, 32Gi and 110 pods unless told otherwise. */
    node?: Readonly<Record<string, string>>
  }>

/** A control plane with everything that Liqo needs, and Liqo. */
export type LiqoCluster = Readonly<{
  id: string
  controlPlane: ControlPlane
  liqo: Liqo
  stop(): Promise<void>
}>

/**
 * What Liqo needs to be there: signing, garbage collection, Deployments, nodes for the pods, and
 * its own kinds. The garbage collector looks for new ones every 30 s only, and when it starts.
 */
export const liqoNeeds = () => ({
  withControllers: true,
  withScheduler: true,
  withKwok: true,
  kinds: [liqoDefinitions()],
})

export async function startLiqoCluster(options: LiqoClusterOptions): Promise<LiqoCluster> {
  const id = options.clusterId
  const controlPlane = await startControlPlane(liqoNeeds())
  try {
    const node = JSON.stringify(aNode(`${id}-1`, options.node))
    await controlPlane.kubectl(['apply', '--filename=-'], node)
    const liqo = await startLiqo(controlPlane, options)
    return {
      id,
      controlPlane,
      liqo,
      async stop() {
        await liqo.stop()
        await controlPlane.stop()
      },
    }
  } catch (failure) {
    await controlPlane.stop()
    throw failure
  }
}
