import { eventually } from '@bourse/testkit'
import type { FederationOptions } from '@bourse/testkit/federation'
import { isReady, lookAtLiqo, type Node } from '@bourse/testkit/liqo'
import { useFederation } from '../federation/use-federation.ts'
import { addedTo, contentsOf } from './contents.ts'
import { offloading } from './workload.ts'

/** The machine may be busy with other things. */
const TIMEOUT_MS = 120_000

/** What each cluster had in it. */
type Contents = ReadonlyMap<string, ReadonlySet<string>>

/** rome and paris with agents that peer, real Liqo in both; paris has GPUs. */
export function usePeers(more: Partial<FederationOptions> = {}) {
  const { clusters = ['rome', 'paris'] } = more
  const { federation, inCluster } = useFederation({
    clusters,
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
    eventually(what, ask, TIMEOUT_MS)

  /** It comes a moment after the agent is ready. */
  const advertised = (id: string) =>
    until(`${id} has advertised`, async () => {
      const advertisement = ['get', 'adv', 'cluster-advertisement', '--ignore-not-found']
      return (await kubectl(id, advertisement)) !== '' || undefined
    })
  const contentsIn = (id: string) => contentsOf(federation().cluster(id).controlPlane.kubectl)
  async function added(before: Contents, ids: readonly string[]): Promise<string[]> {
    const looks = ids.map(liqoIn)
    const ours = looks.flatMap((look) => [look.ofReservations(), look.ofPairs()])
    const left = (await Promise.all(ours)).flat()
    // All there is takes longer to ask for.
    if (left.length > 0) return left
    const now = ids.map(async (id) => {
      const names = addedTo(before.get(id) ?? new Set(), await contentsIn(id))
      return names.map((name) => `${id}: ${name}`)
    })
    return (await Promise.all(now)).flat()
  }

  return {
    federation,
    inCluster,
    kubectl,
    liqoIn,
    until,
    /** What the requester says of a request, once its capacity is in use. */
    active: (name: string, requester = 'rome') =>
      until(`${name} is Active`, async () => {
        const status = (await inCluster(requester).request(name))?.status
        return status?.phase === 'Active' ? status : undefined
      }),
    /** A namespace of rome, from when on the pods that are made in it go to paris. */
    async offloaded(namespace: string): Promise<void> {
      await kubectl('rome', ['create', 'namespace', namespace])
      await kubectl('rome', ['apply', '--filename=-'], offloading(namespace, 'paris'))
      await kubectl('rome', [
        ...['wait', '--for=jsonpath={.status.offloadingPhase}=Ready'],
        ...['namespaceoffloading/offloading', `--namespace=${namespace}`, '--timeout=60s'],
      ])
    },
    /** A request that was deleted has given everything back. */
    returned: (name: string, requester = 'rome') =>
      until(`${name} is gone`, async () =>
        (await inCluster(requester).request(name)) ? undefined : true,
      ),
    /** The node that a reservation became at its requester, once it is ready. */
    nodeOf: (reservation: string, requester = 'rome'): Promise<Node> =>
      until(`${reservation} is a node that is ready`, async () => {
        const nodes = await liqoIn(requester).virtualNodes()
        return nodes.find((one) => one.metadata.name.includes(reservation) && isReady(one))
      }),
    /** No cluster has anything of a reservation left. */
    untilNothingIsLeft: () =>
      until('no reservation has left anything', async () => {
        const left = await Promise.all(clusters.map((id) => liqoIn(id).ofReservations()))
        return left.flat().length === 0 || undefined
      }),
    /** Everything that is in all of them, once their agents have made what they always have. */
    async contents(): Promise<Contents> {
      await Promise.all(clusters.map(advertised))
      const all = clusters.map(async (id) => [id, await contentsIn(id)] as const)
      return new Map(await Promise.all(all))
    },
    /** Nothing is there that was not before, of any kind. */
    async untilAsBefore(before: Contents, ids = clusters): Promise<void> {
      let left: readonly string[] = []
      const looked = until('nothing is left of it', async () => {
        left = await added(before, ids)
        return left.length === 0 || undefined
      })
      await looked.then(undefined, (cause) => {
        throw new Error(`Left: ${left.join(', ')}`, { cause })
      })
    },
  }
}
