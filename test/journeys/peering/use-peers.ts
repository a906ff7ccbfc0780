import { eventually } from '@bourse/testkit'
import type { FederationOptions } from '@bourse/testkit/federation'
import { useFederation } from '../federation/use-federation.ts'
import { isReady, lookAtLiqo, type Node } from './liqo-look.ts'

/** The machine may be busy with other things. */
const PATIENCE_MS = 120_000

/** rome and paris with agents that peer, real Liqo in both; paris has GPUs. */
export function usePeers(more: Partial<FederationOptions> = {}) {
  const { federation, inCluster } = useFederation({
    clusters: ['rome', 'paris'],
    nodes: { paris: [{ cpu: '16', memory: '64Gi', 'nvidia.com/gpu': '4' }] },
    withLiqo: true,
    agentRights: 'chart',
    agentFlags: () => ['--peering=native'],
    ...more,
  })
  const kubectl = (id: string, args: readonly string[], stdin?: string) =>
    federation().cluster(id).controlPlane.kubectl(args, stdin)
  const liqoIn = (id: string) => lookAtLiqo(inCluster(id).client)

  const until = <T>(what: string, ask: () => Promise<T | undefined>) =>
    eventually(what, ask, PATIENCE_MS)

  return {
    federation,
    inCluster,
    kubectl,
    liqoIn,
    until,
    /** What rome says of a request, once its capacity is in use. */
    active: (name: string) =>
      until(`${name} is Active`, async () => {
        const status = (await inCluster('rome').request(name))?.status
        return status?.phase === 'Active' ? status : undefined
      }),
    /** A request that was deleted has given everything back. */
    returned: (name: string) =>
      until(`${name} is gone`, async () =>
        (await inCluster('rome').request(name)) ? undefined : true,
      ),
    /** The node in rome that a reservation became, once it is ready. */
    nodeOf: (reservation: string): Promise<Node> =>
      until(`${reservation} is a node that is ready`, async () => {
        const nodes = await liqoIn('rome').virtualNodes()
        return nodes.find((one) => one.metadata.name.includes(reservation) && isReady(one))
      }),
    /** Neither cluster has anything of a reservation left. */
    untilNothingIsLeft: () =>
      until('no reservation has left anything', async () => {
        const left = await Promise.all(['rome', 'paris'].map((id) => liqoIn(id).ofReservations()))
        return left.flat().length === 0 || undefined
      }),
  }
}
